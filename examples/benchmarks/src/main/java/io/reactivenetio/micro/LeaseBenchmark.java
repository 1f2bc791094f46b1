// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A lease on a message of 64 bytes is taken, read and given back within {@code onNext}; else as in {@link ReceiveBenchmark}. */
@State(Scope.Thread)
public class LeaseBenchmark {
    static final int MESSAGES = 32;
    private static final int SIZE = 64;

    @Param
    FramingKind framing = FramingKind.RAW;

    private final Sum sum = Sum.ofAll();
    private ReceivingEnd end;

    @Setup
    public void connect() {
        end = new ReceivingEnd(framing, SIZE, MESSAGES);
        end.receiveLeased(sum);
    }

    @TearDown
    public void close() {
        end.close();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long takeAndClose() {
        end.turn();
        return sum.value();
    }
}
