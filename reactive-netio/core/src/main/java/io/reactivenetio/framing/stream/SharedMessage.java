// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import java.nio.ByteBuffer;

/**
 * A published message, which all streams that send it share. So its payload must never be changed, and the garbage collector
 * takes it when no stream has it any more. The source's thread makes it and sets its number; then any loop reads it.
 */
public final class SharedMessage {
    private final long tag;
    private final int status;
    private final ByteBuffer payload;
    private long number;
    /** Whether it was sent. Several loops share it; who reads it has had their lock since. */
    private boolean sent;

    /**
     * Creates a message without a number.
     *
     * @param status 0 to 255
     * @param payload the bytes from position to limit, neither of which is moved
     */
    public SharedMessage(long tag, int status, ByteBuffer payload) {
        this.tag = tag;
        this.status = status;
        this.payload = payload;
    }

    /** Sets the number of the message among all of its source, before any stream has it. */
    public SharedMessage number(long inRun) {
        number = inRun;
        return this;
    }

    public long tag() {
        return tag;
    }

    public int status() {
        return status;
    }

    public ByteBuffer payload() {
        return payload;
    }

    /** The number of the message among all of its source; 0 if that numbers none. */
    public long number() {
        return number;
    }

    /** Notes that some stream has all of it in pages. */
    void sent() {
        sent = true;
    }

    /**
     * Whether some stream has had all of it in pages. Exact for who has synchronized since with the loop of that stream.
     */
    public boolean isSent() {
        return sent;
    }
}
