// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One element on its way from the backend's callback to {@code onNext}, where 32 arrive in a turn of the loop. */
@State(Scope.Thread)
public class ReceiveBenchmark {
    static final int MESSAGES = 32;

    @Param
    FramingKind framing = FramingKind.RAW;

    @Param({"64", "1024"})
    int size;

    private final Sum sum = Sum.ofAll();
    private ReceivingEnd end;

    @Setup
    public void connect() {
        end = new ReceivingEnd(framing, size, MESSAGES);
        end.receive(sum);
    }

    @TearDown
    public void close() {
        end.close();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long onNext() {
        end.turn();
        return sum.value();
    }
}
