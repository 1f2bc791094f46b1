// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import java.nio.ByteBuffer;

/**
 * Packs messages with their tag and status into netio3 pages. One writer serves page after page, one thread at a time. Nothing is
 * allocated.
 */
public final class PageWriter {
    static final int TAG = 1 << 31;
    static final int STATUS = 1 << 30;
    /** The largest payload that the header can say. */
    public static final int MAX_PAYLOAD = STATUS - 1;

    /** The largest number of bytes that a message has besides its payload. */
    public static final int MAX_OVERHEAD = Integer.BYTES + Byte.BYTES + Long.BYTES;

    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private ByteBuffer page = NONE;
    private int begin;
    private int at;
    private int end;
    private long lastTag;

    public PageWriter() {
    }

    /** Begins a page from the position of {@code target} to its limit. The buffer is used until the next one is begun. */
    public PageWriter begin(ByteBuffer target) {
        page = target;
        begin = target.position();
        at = begin;
        end = target.limit();
        return this;
    }

    /**
     * Appends a copy of what remains in {@code payload}, whose position stays.
     *
     * @param status 0 to 255; 0 takes no room
     * @return false if it does not fit behind what is in the page, and nothing was changed: send this page, begin another
     * @throws MessageTooLargeException if it does not even fit an empty page of this size
     */
    public boolean append(long tag, int status, ByteBuffer payload) {
        int length = payload.remaining();
        int index = reserve(tag, status, length);
        if (index < 0) {
            return false;
        }
        page.put(index, payload, payload.position(), length);
        return true;
    }

    /**
     * Writes everything but the payload. Returns the index where the payload goes, or -1 if it does not fit, and nothing was
     * changed.
     */
    private int reserve(long tag, int status, int length) {
        if ((status & 0xff) != status) {
            throw new IllegalArgumentException("status must be 0 to 255: " + status);
        }
        boolean tagged = at == begin || tag != lastTag;
        int header = Integer.BYTES + (status == 0 ? 0 : Byte.BYTES) + (tagged ? Long.BYTES : 0);
        if (length > MAX_PAYLOAD || length > end - at - header) {
            refuseIfNeverFits(status, length);
            return -1;
        }
        LittleEndian.putU32(page, at, length | (tagged ? TAG : 0) | (status == 0 ? 0 : STATUS));
        at += Integer.BYTES;
        if (status != 0) {
            page.put(at++, (byte) status);
        }
        if (tagged) {
            LittleEndian.putU64(page, at, tag);
            at += Long.BYTES;
            lastTag = tag;
        }
        int index = at;
        at += length;
        return index;
    }

    private void refuseIfNeverFits(int status, int length) {
        int most = Math.min(MAX_PAYLOAD, end - begin - Integer.BYTES - Long.BYTES - (status == 0 ? 0 : Byte.BYTES));
        if (length > most) {
            throw new MessageTooLargeException("a message of " + length + " bytes does not fit a page of " + (end - begin)
                    + " bytes, which takes at most " + Math.max(0, most) + "; use larger buffers or smaller messages");
        }
    }

    /** The buffer that the page is in. */
    public ByteBuffer page() {
        return page;
    }

    /** The size of the page so far, in bytes. */
    public int size() {
        return at - begin;
    }

    /** Whether the page has no message yet. */
    public boolean isEmpty() {
        return at == begin;
    }
}
