// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.wire.PageReader;
import io.reactivenetio.wire.PageWriter;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A message is written into a page of PAGE framing, or found in one: a 32nd of a page with so many. */
@State(Scope.Thread)
public class PageBenchmark {
    static final int MESSAGES = 32;

    @Param({"64", "1024"})
    int size;

    private final ByteBuffer target = Memory.page();
    private final PageWriter writer = new PageWriter();
    private final PageReader reader = new PageReader();
    private ByteBuffer payload;
    private ByteBuffer page;

    @Setup
    public void fill() {
        payload = Memory.message(size);
        page = Memory.taggedPage(payload, MESSAGES);
    }

    /** Writes messages with one tag, which only the first of the page says. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int write() {
        writer.begin(target);
        for (int i = 0; i < MESSAGES; i++) {
            writer.append(0, 0, payload.rewind());
        }
        return writer.size();
    }

    /** Goes from message to message, and looks at none. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public long read() throws ProtocolException {
        reader.begin(page);
        long seen = 0;
        while (reader.next()) {
            seen += reader.tag() + reader.payloadOffset() + reader.payloadLength();
        }
        return seen;
    }
}
