// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One of the messages of 64 bytes that fill a page, from the backend's callback to {@code onNext}: decoded, or as a copy. Several
 * decoders in one process are what keeps a compiler from seeing the one that it compiles for.
 */
@State(Scope.Thread)
public class FullPageBenchmark {
    static final int MESSAGES = 800;
    private static final int SIZE = 64;
    private static final int TURNS = 20_000;
    private static final ByteBuffer NUMBER = ByteBuffer.allocate(Long.BYTES);
    private static final List<Function<ByteBuffer, ByteBuffer>> DECODERS = List.of(
            message -> NUMBER.putLong(0, message.getLong(0)),
            message -> NUMBER.putLong(0, message.getLong(8)),
            message -> NUMBER.putLong(0, message.getLong(16)),
            message -> NUMBER.putLong(0, message.getLong(24)));

    @Param({"PAGE", "STREAM"})
    FramingKind framing = FramingKind.STREAM;

    /** 0: none, the message is copied. */
    @Param({"0", "1", "4"})
    int decoders;

    private final Sum sum = Sum.ofAll();
    private ReceivingEnd end;

    @Setup
    public void connect() {
        for (int i = 1; i < decoders; i++) {
            try (ReceivingEnd other = new ReceivingEnd(framing, SIZE, MESSAGES)) {
                other.receive(Sum.ofAll(), DECODERS.get(i));
                for (int turn = 0; turn < TURNS; turn++) {
                    other.turn();
                }
            }
        }
        end = new ReceivingEnd(framing, SIZE, MESSAGES);
        if (decoders == 0) {
            end.receiveCopies(sum);
        } else {
            end.receive(sum, DECODERS.get(0));
        }
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
