// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Packs frames into stream pages. One writer serves page after page, one thread at a time. Only {@link #error} allocates. A
 * method that returns false, or -1, has changed nothing: the frame does not fit behind those in the page.
 */
public final class FrameWriter {
    private static final int WHOLE = (FrameType.FIRST | FrameType.LAST) << 24;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final boolean checksums;
    private final CRC32C crc = new CRC32C();
    private final int header;
    private ByteBuffer page = NONE;
    private int begin;
    private int at;
    private int end;
    private boolean data;
    private boolean closed = true;
    /**
     * Whether the next message of {@link #lastStream} needs only a header, because the page has a message of it without a tag.
     */
    private boolean follows;
    /** The stream of the last DATA in this page. */
    private int lastStream;
    private boolean lastTagged;
    private long lastTag;

    /** A writer of pages with or without checksums, as the handshake has agreed. */
    public FrameWriter(boolean checksums) {
        this.checksums = checksums;
        this.header = checksums ? StreamPage.HEADER_WITH_CRC : StreamPage.HEADER;
    }

    /** Begins a page from the position of {@code target} to its limit. The buffer is used until the page is finished. */
    public FrameWriter begin(ByteBuffer target) {
        if (target.remaining() < header) {
            throw new IllegalArgumentException("a buffer of " + target.remaining() + " bytes; a page's header has " + header);
        }
        page = target;
        begin = target.position();
        at = begin + header;
        end = target.limit();
        data = false;
        follows = false;
        closed = false;
        return this;
    }

    /** The largest message without tag and status that fits a page of {@code pageSize} bytes whole. */
    public int largestWhole(int pageSize) {
        return Math.min(FrameType.MAX_LENGTH, pageSize - header - FrameType.HEADER - Integer.BYTES);
    }

    /** How many whole messages of {@code size} bytes of one stream, without tag and status, still fit this page. */
    public int wholesThatFit(int stream, int size) {
        int room = end - at - (isNamed(stream, FrameType.FIRST, false) ? Integer.BYTES : 0);
        return Math.max(0, room / (FrameType.HEADER + size));
    }

    /** Writes a whole message: a copy of what remains in {@code payload}, whose position stays. */
    public boolean message(int stream, ByteBuffer payload) {
        return isFollowing(stream) && follow(payload, payload.position(), payload.remaining()) // as nearly all messages do
                || message(stream, false, 0, 0, payload);
    }

    /** Whether a message of {@code stream} without tag and status needs nothing but a header now. */
    public boolean isFollowing(int stream) {
        return follows && stream == lastStream;
    }

    /** Writes a message that {@linkplain #isFollowing follows}: {@code length} bytes of {@code payload} from {@code from} on. */
    public boolean follow(ByteBuffer payload, int from, int length) {
        int to = at + FrameType.HEADER;
        if (!follows || length > end - to || length > FrameType.MAX_LENGTH) {
            return false;
        }
        LittleEndian.putU32(page, at, WHOLE | length);
        page.put(to, payload, from, length);
        at = to + length;
        return true;
    }

    /** Writes a whole message with a tag of its own, and a status from 0 to 255. */
    public boolean message(int stream, long tag, int status, ByteBuffer payload) {
        return message(stream, true, tag, status, payload);
    }

    private boolean message(int stream, boolean tagged, long tag, int status, ByteBuffer payload) {
        int length = payload.remaining();
        if (!head(stream, FrameType.FIRST | FrameType.LAST, tagged, tag, status, length, length)) {
            return false;
        }
        page.put(at, payload, payload.position(), length);
        at += length;
        return true;
    }

    /**
     * Writes the first part of a message: as much of {@code payload} as fits, at most all but one byte. The position moves behind
     * that.
     *
     * @return how many bytes were written, which can be 0, or -1
     */
    public int firstPart(int stream, ByteBuffer payload) {
        return firstPart(stream, false, 0, 0, payload);
    }

    /** Writes the first part of a message with a tag of its own, and a status from 0 to 255. */
    public int firstPart(int stream, long tag, int status, ByteBuffer payload) {
        return firstPart(stream, true, tag, status, payload);
    }

    private int firstPart(int stream, boolean tagged, long tag, int status, ByteBuffer payload) {
        int total = payload.remaining();
        if (total == 0) {
            throw new IllegalArgumentException("an empty message has no parts");
        }
        int room = end - at - fields(stream, FrameType.FIRST, tagged, tag, status);
        int length = Math.min(Math.min(room, total - 1), FrameType.MAX_LENGTH);
        if (room < 0 || !head(stream, FrameType.FIRST, tagged, tag, status, total, length)) {
            return -1;
        }
        copy(payload, length);
        return length;
    }

    /**
     * Writes the next part of the message: as much of {@code payload} as fits. The position moves behind that. The part is marked
     * as the last one if nothing remains.
     *
     * @return how many bytes were written, at least 1, or -1
     */
    public int nextPart(int stream, ByteBuffer payload) {
        int left = payload.remaining();
        if (left == 0) {
            throw new IllegalArgumentException("nothing is left of the message");
        }
        int length = Math.min(Math.min(end - at - fields(stream, 0, false, 0, 0), left), FrameType.MAX_LENGTH);
        if (length <= 0 || !head(stream, length == left ? FrameType.LAST : 0, false, 0, 0, 0, length)) {
            return -1;
        }
        copy(payload, length);
        return length;
    }

    /** How many bytes DATA needs in this page besides its payload. */
    private int fields(int stream, int part, boolean tagged, long tag, int status) {
        boolean named = isNamed(stream, part, tagged);
        return FrameType.HEADER + (named ? Integer.BYTES : 0) + (part == FrameType.FIRST ? Integer.BYTES : 0)
                + (tagged && hasTagField(named, tag) ? Long.BYTES : 0) + (status == 0 ? 0 : Byte.BYTES);
    }

    /**
     * Whether the frame has to name the stream: it is not that of the message before, or the message has the stream's own tag and
     * the one before had another.
     */
    private boolean isNamed(int stream, int part, boolean tagged) {
        return !data || stream != lastStream || (part & FrameType.FIRST) != 0 && lastTagged && !tagged;
    }

    private boolean hasTagField(boolean named, long tag) {
        return named || !lastTagged || tag != lastTag;
    }

    /** Writes the header and fields of DATA of {@code length} bytes. Returns false if these and the payload do not fit. */
    boolean head(int stream, int part, boolean tagged, long tag, int status, int total, int length) {
        if ((status & 0xff) != status || stream == FrameType.CONNECTION) {
            throw new IllegalArgumentException("status must be 0 to 255, the stream not 0xffffffff: " + status + ", " + stream);
        }
        checkOpen();
        int fields = fields(stream, part, tagged, tag, status);
        if (length > FrameType.MAX_LENGTH || length > end - at - fields) {
            return false;
        }
        boolean named = isNamed(stream, part, tagged);
        boolean withTag = tagged && hasTagField(named, tag);
        int kind = part | (named ? FrameType.STREAM : 0) | (withTag ? FrameType.TAG : 0)
                | (status == 0 ? 0 : FrameType.STATUS);
        LittleEndian.putU32(page, at, kind << 24 | length);
        at += FrameType.HEADER;
        if (named) {
            LittleEndian.putU32(page, at, stream);
            at += Integer.BYTES;
        }
        if (part == FrameType.FIRST) {
            LittleEndian.putU32(page, at, total);
            at += Integer.BYTES;
        }
        if (withTag) {
            LittleEndian.putU64(page, at, tag);
            at += Long.BYTES;
        }
        if (status != 0) {
            page.put(at++, (byte) status);
        }
        data = true;
        lastStream = stream;
        if (withTag) {
            lastTag = tag;
        }
        lastTagged = tagged || lastTagged && !named;
        follows = !lastTagged;
        return true;
    }

    void copy(ByteBuffer payload, int length) {
        int from = payload.position();
        page.put(at, payload, from, length);
        payload.position(from + length);
        at += length;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("no page is begun, or its last frame is written");
        }
    }

    /** Opens a stream to receive; {@code stream} is neither 0 nor in use, without a policy the publisher's applies. */
    public boolean subscribe(int stream, Tags tags, @Nullable SlowPolicy policy) {
        if (stream == 0) {
            throw new IllegalArgumentException("stream 0 is always open");
        }
        if (!control(FrameType.SUBSCRIBE, stream, FrameType.SUBSCRIBE.shortest)) {
            return false;
        }
        page.put(at, code(tags.kind()));
        page.put(at + 1, policy == null ? 0 : code(policy));
        LittleEndian.putU16(page, at + 2, 0);
        LittleEndian.putU64(page, at + 4, tags.first());
        LittleEndian.putU64(page, at + 12, tags.second());
        at += 20;
        return true;
    }

    private static byte code(Tags.Kind kind) {
        return switch (kind) {
            case ONE -> 0;
            case RANGE -> 1;
            case MASK -> 2;
        };
    }

    private static byte code(SlowPolicy policy) {
        return switch (policy) {
            case BACKPRESSURE -> 1;
            case DROP_NEWEST -> 2;
            case DROP_OLDEST -> 3;
            case ERROR -> 4;
        };
    }

    /** Asks for {@code n} messages more, at least 1. */
    public boolean request(int stream, long n) {
        return numbered(FrameType.REQUEST, stream, n, 1);
    }

    /** Cancels the stream. */
    public boolean cancel(int stream) {
        return control(FrameType.CANCEL, stream, Integer.BYTES);
    }

    /** Completes the stream after {@code messages} messages. */
    public boolean complete(int stream, long messages) {
        return numbered(FrameType.COMPLETE, stream, messages, 0);
    }

    /** Says that {@code messages} messages were dropped, at least 1. */
    public boolean dropped(int stream, long messages) {
        return numbered(FrameType.DROPPED, stream, messages, 1);
    }

    /** Says that {@code waiting} messages wait for a slow subscriber, of {@code capacity} that may, which is at least 1. */
    public boolean queued(int stream, int waiting, int capacity) {
        if (waiting < 0 || capacity < 1) {
            throw new IllegalArgumentException(waiting + " of " + capacity + " messages wait");
        }
        if (!control(FrameType.QUEUED, stream, 3 * Integer.BYTES)) {
            return false;
        }
        LittleEndian.putU32(page, at, waiting);
        LittleEndian.putU32(page, at + Integer.BYTES, capacity);
        at += 2 * Integer.BYTES;
        return true;
    }

    /** Says that the next message has this number in {@code run}, which is left out if it is 0. */
    public boolean subscribed(int stream, long number, long run) {
        if (run == 0) {
            return numbered(FrameType.SUBSCRIBED, stream, number, Long.MIN_VALUE);
        }
        if (!control(FrameType.SUBSCRIBED, stream, Integer.BYTES + 2 * Long.BYTES)) {
            return false;
        }
        LittleEndian.putU64(page, at, number);
        LittleEndian.putU64(page, at + Long.BYTES, run);
        at += 2 * Long.BYTES;
        return true;
    }

    /** Where the next frame goes, for {@link #takeBack}. */
    public int mark() {
        return at;
    }

    /** Takes back the control frames that were written since {@code mark}; behind them nothing else may have been. */
    public void takeBack(int mark) {
        at = mark;
    }

    /**
     * Ends the stream, or the connection, for a reason. Of its text, {@link FrameType#MAX_TEXT} bytes are sent at most.
     * Allocates.
     */
    public boolean error(int stream, int code, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = bytes.length;
        if (length > FrameType.MAX_TEXT) {
            length = FrameType.MAX_TEXT;
            while ((bytes[length] & 0xc0) == 0x80) {
                length--; // the text is not cut within a character
            }
        }
        return error(stream, code, bytes, length);
    }

    boolean error(int stream, int code, byte[] bytes, int length) {
        if (!put(FrameType.ERROR, 8 + length)) {
            return false;
        }
        LittleEndian.putU32(page, at, stream);
        LittleEndian.putU32(page, at + 4, code);
        page.put(at + 8, bytes, 0, length);
        at += 8 + length;
        return true;
    }

    /** Asks for a {@link #pong} with the same value. */
    public boolean ping(long value) {
        return echo(FrameType.PING, value);
    }

    /** Answers a {@link #ping}. */
    public boolean pong(long value) {
        return echo(FrameType.PONG, value);
    }

    private boolean echo(FrameType type, long value) {
        if (!put(type, Long.BYTES)) {
            return false;
        }
        LittleEndian.putU64(page, at, value);
        at += Long.BYTES;
        return true;
    }

    private boolean numbered(FrameType type, int stream, long number, long least) {
        if (number < least) {
            throw new IllegalArgumentException(type + " with " + number + "; it must be at least " + least);
        }
        if (!control(type, stream, Integer.BYTES + Long.BYTES)) {
            return false;
        }
        LittleEndian.putU64(page, at, number);
        at += Long.BYTES;
        return true;
    }

    private boolean control(FrameType type, int stream, int length) {
        if (stream == FrameType.CONNECTION) {
            throw new IllegalArgumentException(type + " of stream 0xffffffff, which is none");
        }
        if (!put(type, length)) {
            return false;
        }
        LittleEndian.putU32(page, at, stream);
        at += Integer.BYTES;
        return true;
    }

    private boolean put(FrameType type, int length) {
        checkOpen();
        if (end - at < FrameType.HEADER + length) {
            return false;
        }
        LittleEndian.putU32(page, at, type.kind << 24 | length);
        at += FrameType.HEADER;
        return true;
    }

    /** The size of the page so far in bytes, header included. */
    public int size() {
        return at - begin;
    }

    /** Whether the page has no frame, and would only return credits. */
    public boolean isEmpty() {
        return at == begin + header;
    }

    /** Whether the page has DATA, and so takes a data credit; if not, a control credit. */
    public boolean hasData() {
        return data;
    }

    /** Writes the page's header. Returns the size of the page in bytes. */
    public int finish(int dataCredits, int controlCredits) {
        if ((dataCredits & 0xffff) != dataCredits || (controlCredits & 0xff) != controlCredits) {
            throw new IllegalArgumentException("a page cannot return " + dataCredits + " and " + controlCredits + " credits");
        }
        closed = true;
        follows = false;
        int flags = (checksums ? StreamPage.FLAG_CRC : 0) | (data ? StreamPage.FLAG_DATA : 0);
        LittleEndian.putU32(page, begin, flags << 24 | controlCredits << 16 | dataCredits);
        if (checksums) {
            LittleEndian.putU32(page, begin + StreamPage.CRC, StreamPage.checksum(crc, page, begin, at));
        }
        return at - begin;
    }
}
