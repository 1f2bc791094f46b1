// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Demand of one element after the other, and with each the element of 64 bytes that it is for. */
@State(Scope.Thread)
public class DemandBenchmark {
    static final int MESSAGES = 32;
    private static final int SIZE = 64;

    @Param
    FramingKind framing = FramingKind.RAW;

    private final Sum asking = Sum.oneByOne();
    private final Sum asked = Sum.onRequest();
    private ReceivingEnd many;
    private ReceivingEnd one;

    @Setup
    public void connect() {
        many = new ReceivingEnd(framing, SIZE, MESSAGES);
        many.receive(asking);
        one = new ReceivingEnd(framing, SIZE, 1);
        one.receive(asked);
    }

    @TearDown
    public void close() {
        many.close();
        one.close();
    }

    /** {@code request(1)} in each {@code onNext}, where 32 elements arrive in a turn; else as in {@link ReceiveBenchmark}. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long requestInOnNext() {
        many.turn();
        return asking.value();
    }

    /** {@code request(1)} beside the loop, and a whole turn of the loop, which takes that up and delivers one element. */
    @Benchmark
    public long requestBesideLoop() {
        asked.request(1);
        one.turn();
        return asked.value();
    }
}
