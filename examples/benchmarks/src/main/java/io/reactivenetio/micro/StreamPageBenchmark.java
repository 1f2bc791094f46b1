// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A message is written into a page of STREAM framing, or found in one: a 32nd of a page with so many, without checksums. */
@State(Scope.Thread)
public class StreamPageBenchmark {
    static final int MESSAGES = 32;

    @Param({"64", "1024"})
    int size;

    private final ByteBuffer target = Memory.page();
    private final FrameWriter writer = new FrameWriter(false);
    private final FrameReader reader = new FrameReader(false);
    private ByteBuffer payload;
    private ByteBuffer page;

    @Setup
    public void fill() {
        payload = Memory.message(size);
        page = Memory.streamPage(new FrameWriter(false), payload, MESSAGES);
    }

    /** Writes messages of one stream. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int write() {
        writer.begin(target);
        for (int i = 0; i < MESSAGES; i++) {
            writer.message(0, payload);
        }
        return writer.finish(0, 0);
    }

    /** Goes from frame to frame, and looks at no message. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long read() throws ProtocolException {
        reader.begin(page);
        long seen = 0;
        while (reader.next()) {
            seen += reader.stream() + reader.payloadOffset() + reader.payloadLength();
        }
        return seen;
    }
}
