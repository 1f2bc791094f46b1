// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.lease.TaggedBuffer;
import java.nio.ByteBuffer;

/** A received message in memory of its own, which keeps no receive buffer. */
public final class CopiedMessage implements TaggedBuffer {
    private final ByteBuffer data;
    private final long tag;
    private final int status;

    private CopiedMessage(ByteBuffer data, long tag, int status) {
        this.data = data;
        this.tag = tag;
        this.status = status;
    }

    /** A copy of {@code message}. On the loop. */
    public static CopiedMessage of(TaggedBuffer message) {
        ByteBuffer from = message.data();
        int length = message.length();
        return new CopiedMessage(ByteBuffer.allocate(length).put(0, from, 0, length), message.tag(), message.status());
    }

    /** A message that is in {@code memory}, from position 0 to limit, which is this object's from now on. */
    public static CopiedMessage in(ByteBuffer memory, long tag, int status) {
        return new CopiedMessage(memory, tag, status);
    }

    @Override
    public ByteBuffer data() {
        return data;
    }

    @Override
    public int length() {
        return data.limit();
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public int status() {
        return status;
    }

    /** The garbage collector counts its references. */
    @Override
    public void retain() {
    }

    @Override
    public void release() {
    }
}
