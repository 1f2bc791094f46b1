// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The message of one stream of which only some parts have arrived, if there is one. Confined to one thread. */
public final class PartialMessage {
    private final Reassembly reassembly;
    private final int stream;
    /** The buffer that the message is put together in. Its limit grows with what arrives. */
    private @Nullable ByteBuffer buffer;
    private int total;
    private int filled;
    private boolean tagged;
    private long tag;
    private int status;

    PartialMessage(Reassembly reassembly, int stream) {
        this.reassembly = reassembly;
        this.stream = stream;
    }

    /**
     * Takes the DATA of this stream that {@code frame} is at. A whole message is only checked.
     *
     * @return the whole message, from position 0 to limit, which the caller owns, if this was its last part; else null
     * @throws ProtocolException if it does not continue the message that has begun, or is beyond a limit; that message is freed
     */
    public @Nullable ByteBuffer add(FrameReader frame, ByteBuffer page) throws ProtocolException {
        try {
            return take(frame, page);
        } catch (ProtocolException e) {
            discard();
            throw e;
        }
    }

    /** The size of the largest message that may arrive, in bytes. */
    public int largest() {
        return reassembly.largest();
    }

    /** Checks a frame that is a whole message. */
    public void check(FrameReader frame) throws ProtocolException {
        if (buffer != null) {
            int missing = total - filled;
            discard();
            throw wrong("a message begins where " + missing + " bytes of another are missing");
        }
        reassembly.check(stream, frame.payloadLength());
    }

    private @Nullable ByteBuffer take(FrameReader frame, ByteBuffer page) throws ProtocolException {
        if (frame.isFirst()) {
            if (buffer != null) {
                throw wrong("a message begins where " + (total - filled) + " bytes of another are missing");
            }
            if (frame.isLast()) {
                reassembly.check(stream, frame.payloadLength());
                return null;
            }
            begin(frame);
        }
        ByteBuffer into = buffer;
        if (into == null) {
            throw wrong("a part of a message whose beginning is missing");
        }
        int length = frame.payloadLength();
        if (length > total - filled) {
            throw wrong(length + " bytes of a message that misses " + (total - filled));
        }
        if (length == 0 && !frame.isFirst()) {
            throw wrong("a part of a message without a byte of it");
        }
        if (frame.isLast() != (length == total - filled)) {
            throw wrong(frame.isLast() ? "a message of " + total + " bytes ends after " + (filled + length)
                    : "a message of " + total + " bytes does not end there");
        }
        if (length > into.limit() - filled) {
            into = reassembly.grow(into, filled, filled + length, total);
            buffer = into;
        }
        into.put(filled, page, frame.payloadOffset(), length);
        filled += length;
        if (filled < total) {
            return null;
        }
        buffer = null;
        reassembly.finished(into, total);
        return into;
    }

    private void begin(FrameReader frame) throws ProtocolException {
        buffer = reassembly.begin(stream, frame.total(), frame.payloadLength());
        total = frame.total();
        filled = 0;
        tagged = frame.isTagged();
        tag = frame.tag();
        status = frame.status();
    }

    private ProtocolException wrong(String what) {
        return new ProtocolException("malformed stream " + Integer.toUnsignedString(stream) + ": " + what);
    }

    /** Whether a message has begun and not ended, so that the stream cannot be complete. */
    public boolean isOpen() {
        return buffer != null;
    }

    /** Whether the message that was begun last has a tag of its own. */
    public boolean isTagged() {
        return tagged;
    }

    /** The tag of the message that was begun last. */
    public long tag() {
        return tag;
    }

    /** The status of the message that was begun last. */
    public int status() {
        return status;
    }

    /** Frees the message, because the stream was cancelled, or has failed. */
    public void discard() {
        ByteBuffer unfinished = buffer;
        if (unfinished != null) {
            buffer = null;
            reassembly.finished(unfinished, total);
            reassembly.free(unfinished);
        }
    }

    /** Gives back a whole message that {@link #add} returned and nobody will look at any more. */
    public void recycle(ByteBuffer whole) {
        reassembly.free(whole);
    }
}
