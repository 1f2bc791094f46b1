// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;

/**
 * Goes through the messages of a netio3 page without copying them. One reader serves page after page, one thread at a time.
 * Nothing is allocated, and nothing is read outside the page, whatever is in it.
 */
public final class PageReader {
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private ByteBuffer page = NONE;
    private int begin;
    private int at;
    private int end;
    private long tag;
    private int status;
    private int offset;
    private int length;

    public PageReader() {
    }

    /** Begins with the page between the position and the limit of {@code source}, neither of which is moved. */
    public PageReader begin(ByteBuffer source) {
        page = source;
        begin = source.position();
        at = begin;
        end = source.limit();
        return this;
    }

    /** Begins behind the message that {@code other} is at. */
    public PageReader continueFrom(PageReader other) {
        page = other.page;
        begin = other.begin;
        at = other.at;
        end = other.end;
        tag = other.tag;
        return this;
    }

    /**
     * Moves to the next message. Returns false at the end of the page.
     *
     * @throws ProtocolException if what follows is no message; the reader stays where it is
     */
    public boolean next() throws ProtocolException {
        int from = at;
        if (from == end) {
            return false;
        }
        if (end - from < Integer.BYTES) {
            throw malformed("ends within a message's header: " + (end - from) + " of its 4 bytes are there");
        }
        int header = LittleEndian.u32(page, from);
        from += Integer.BYTES;
        int newStatus = 0;
        if ((header & PageWriter.STATUS) != 0) {
            if (from == end) {
                throw malformed("ends where a message's header announces a status byte");
            }
            newStatus = LittleEndian.u8(page, from++);
        }
        long newTag = tag;
        if ((header & PageWriter.TAG) != 0) {
            if (end - from < Long.BYTES) {
                throw malformed("ends within a message's tag: " + (end - from) + " of its 8 bytes are there");
            }
            newTag = LittleEndian.u64(page, from);
            from += Long.BYTES;
        } else if (at == begin) {
            throw malformed("begins with a message without a tag");
        }
        int size = header & PageWriter.MAX_PAYLOAD;
        if (size > end - from) {
            throw malformed("ends within a message: " + (end - from) + " of its " + size + " bytes are there");
        }
        tag = newTag;
        status = newStatus;
        offset = from;
        length = size;
        at = from + size;
        return true;
    }

    private ProtocolException malformed(String what) {
        return new ProtocolException("malformed page: it " + what + ", at offset " + (at - begin) + " of " + (end - begin)
                + "; does the peer use PAGE framing?");
    }

    /** The message's tag, as a number without sign. */
    public long tag() {
        return tag;
    }

    /** The message's status, 0 to 255. */
    public int status() {
        return status;
    }

    /** The index of the message's first byte in the buffer. */
    public int payloadOffset() {
        return offset;
    }

    /** The size of the message in bytes. */
    public int payloadLength() {
        return length;
    }
}
