// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One element on its way from a source that answers on the loop to the backend, which takes everything. */
@State(Scope.Thread)
public class SendBenchmark {
    static final int MESSAGES = 4096;

    @Param
    FramingKind framing = FramingKind.RAW;

    @Param({"64", "1024"})
    int size;

    private SendingEnd end;

    @Setup
    public void connect() {
        end = new SendingEnd(framing, size);
    }

    @TearDown
    public void close() {
        end.close();
    }

    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long send() {
        return end.send(MESSAGES);
    }
}
