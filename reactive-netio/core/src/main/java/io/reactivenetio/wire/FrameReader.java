// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the frames of a stream page without copying them. One reader serves page after page, one thread at a time. Nothing
 * is allocated for DATA, and nothing is read outside the page, whatever is in it. The reader checks what a single page can show.
 * What depends on earlier pages is checked by {@link CreditWindow}, {@link PartialMessage} and those who know the streams.
 */
public final class FrameReader {
    /** The kind of a frame that is a whole message of the same stream as the message before it, and has no other fields. */
    private static final int WHOLE = FrameType.FIRST | FrameType.LAST;
    /** Bytes between the beginning of the frame that {@link #following} looks at and its message. */
    public static final int FOLLOWING_HEADER = FrameType.HEADER;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);
    // by their codes; that of a policy is one more
    private static final Tags.Kind[] TAGS = {Tags.Kind.ONE, Tags.Kind.RANGE, Tags.Kind.MASK};
    private static final SlowPolicy[] POLICIES = {SlowPolicy.BACKPRESSURE, SlowPolicy.DROP_NEWEST, SlowPolicy.DROP_OLDEST,
        SlowPolicy.ERROR};

    private final boolean checksums;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer page = NONE;
    private int begin;
    private int at;
    private int end;
    private int dataCredits;
    private int controlCredits;
    private boolean dataPage;

    private FrameType type = FrameType.DATA;
    private int flags;
    private boolean streamKnown;
    /** Whether the frame is a whole message of the stream of the DATA before it, without further fields. */
    private boolean follows;
    private int dataStream;
    private int stream;
    private int total;
    private boolean tagged;
    private long tag;
    private int status;
    private int offset;
    private int length;
    private long value;
    private long run;
    private int capacity;

    /** A reader of pages with or without checksums, as the handshake has agreed. A page that does otherwise is an error. */
    public FrameReader(boolean checksums) {
        this.checksums = checksums;
    }

    /**
     * Begins with the page between the position and the limit of {@code source}, neither of which is moved, and checks its header
     * and its checksum.
     */
    public FrameReader begin(ByteBuffer source) throws ProtocolException {
        page = source;
        begin = source.position();
        end = source.limit();
        at = end; // the page has no frames until its header is checked
        streamKnown = false;
        follows = false;
        tagged = false;
        int header = checksums ? StreamPage.HEADER_WITH_CRC : StreamPage.HEADER;
        if (end - begin < header) {
            throw malformed("it is " + (end - begin) + " bytes long, and its header alone " + header);
        }
        int pageFlags = LittleEndian.u8(page, begin + StreamPage.FLAGS);
        if ((pageFlags & ~(StreamPage.FLAG_CRC | StreamPage.FLAG_DATA)) != 0) {
            throw malformed("unknown flags in its header: 0x" + Integer.toHexString(pageFlags));
        }
        if ((pageFlags & StreamPage.FLAG_CRC) != 0 != checksums) {
            throw malformed(checksums ? "it has no checksum, but the handshake agreed on them"
                    : "it has a checksum, but the handshake did not agree on them");
        }
        if (checksums) {
            verify();
        }
        dataCredits = LittleEndian.u16(page, begin);
        controlCredits = LittleEndian.u8(page, begin + StreamPage.CONTROL_CREDITS);
        dataPage = (pageFlags & StreamPage.FLAG_DATA) != 0;
        if (dataPage && end - begin == header) {
            throw malformed("it says that it has data and has no frame at all");
        }
        at = begin + header;
        return this;
    }

    private void verify() throws ProtocolException {
        int announced = LittleEndian.u32(page, begin + StreamPage.CRC);
        int actual = StreamPage.checksum(crc, page, begin, end);
        if (announced != actual) {
            throw malformed("its checksum is 0x" + Integer.toHexString(announced) + ", that of its bytes 0x"
                    + Integer.toHexString(actual));
        }
    }

    /**
     * Moves to the next frame, past optional ones that are not known here. Returns false at the end of the page.
     *
     * @throws ProtocolException if what follows is no frame
     */
    public boolean next() throws ProtocolException {
        while (at < end) {
            if (end - at < FrameType.HEADER) {
                throw malformed("it ends within a frame's header: " + (end - at) + " of its 4 bytes are there");
            }
            int header = LittleEndian.u32(page, at);
            int kind = header >>> 24;
            length = header & FrameType.MAX_LENGTH;
            if (kind == WHOLE && streamKnown && length <= end - at - FrameType.HEADER) { // as nearly all frames are
                if (!follows) {
                    followsInStream();
                }
                offset = at + FrameType.HEADER;
                at = offset + length;
                return true;
            }
            follows = false;
            if (kind < FrameType.CONTROL) {
                data(kind);
                return true;
            }
            offset = at + FrameType.HEADER;
            if (length > end - offset) {
                throw malformed("it ends within a frame: " + (end - offset) + " of its " + length + " bytes are there");
            }
            FrameType known = FrameType.of(kind);
            if (known != null) {
                control(known);
                at = offset + length;
                return true;
            }
            if ((kind & FrameType.CRITICAL) != 0) {
                throw malformed("unknown frame of type 0x" + Integer.toHexString(kind) + ", which must not be skipped");
            }
            at = offset + length;
        }
        return false;
    }

    /**
     * Moves to the next frame if that is a whole message of the stream {@code of} with at most {@code most} bytes. If it is
     * anything else, also if it is no frame, nothing changes.
     */
    public boolean nextWhole(int of, int most) {
        int from = at + FrameType.HEADER;
        if (end < from) {
            return false;
        }
        int header = LittleEndian.u32(page, at);
        int kind = header >>> 24;
        int bytes = header & FrameType.MAX_LENGTH;
        if (kind >= FrameType.CONTROL || (kind & (WHOLE | FrameType.RESERVED)) != WHOLE || bytes > most) {
            return false;
        }
        int fields = fields(kind, false);
        if (!streamKnown || fields > end - from || bytes > end - from - fields
                || ((kind & FrameType.STREAM) != 0 ? LittleEndian.u32(page, from) : dataStream) != of) {
            return false;
        }
        length = bytes;
        if (kind == WHOLE) {
            if (!follows) {
                followsInStream();
            }
            offset = from;
            at = from + bytes;
            return true;
        }
        follows = false;
        total = bytes;
        if ((kind & FrameType.STREAM) != 0) {
            from += Integer.BYTES;
            tagged = false;
        }
        dataStream = of;
        message(kind, from);
        return true;
    }

    /**
     * The size of the whole message whose frame begins at {@code at} in {@code page}, if that is a message of the same stream and
     * with the same tag as the one before it, with status 0 and at most {@code most} bytes, and if it ends before {@code end}.
     * If it is anything else, -1.
     */
    public static int following(ByteBuffer page, int at, int end, int most) {
        int room = end - at - FrameType.HEADER;
        if (room < 0) {
            return -1;
        }
        int header = LittleEndian.u32(page, at);
        int bytes = header & FrameType.MAX_LENGTH;
        return header >>> 24 == WHOLE && bytes <= room && bytes <= most ? bytes : -1;
    }

    /** Stands at the whole message of {@code bytes} at {@code from}, which {@link #following} has found behind this one. */
    public void skipTo(int from, int bytes) {
        if (!follows) {
            followsInStream();
        }
        offset = from;
        length = bytes;
        at = from + bytes;
    }

    /** Where the next frame begins in the buffer. */
    public int behind() {
        return at;
    }

    /** Where the page ends in the buffer. */
    public int end() {
        return end;
    }

    private void followsInStream() {
        type = FrameType.DATA;
        flags = WHOLE;
        stream = dataStream;
        status = 0;
        follows = true;
    }

    private void data(int kind) throws ProtocolException {
        boolean first = (kind & FrameType.FIRST) != 0;
        boolean counted = first && (kind & FrameType.LAST) == 0;
        if ((kind & FrameType.RESERVED) != 0 || !first && (kind & (FrameType.TAG | FrameType.STATUS)) != 0) {
            throw malformed("DATA with flags 0x" + Integer.toHexString(kind) + ", which do not go together");
        }
        if (!dataPage) {
            throw malformed("DATA in a page that was sent on a control credit");
        }
        int from = at + FrameType.HEADER;
        int fields = fields(kind, counted);
        if (fields > end - from || length > end - from - fields) {
            throw malformed("it ends within DATA: " + (end - from) + " of its " + (fields + (long) length) + " bytes are there");
        }
        if ((kind & FrameType.STREAM) != 0) {
            dataStream = LittleEndian.u32(page, from);
            from += Integer.BYTES;
            streamKnown = true;
            tagged = false;
        } else if (!streamKnown) {
            throw malformed("its first DATA does not say of which stream");
        }
        if (dataStream == FrameType.CONNECTION) {
            throw malformed("DATA of stream 0xffffffff, which is none");
        }
        total = length;
        if (counted) {
            total = LittleEndian.u32(page, from);
            from += Integer.BYTES;
            if (total <= length) {
                throw malformed("the first of several DATA has " + length + " of " + Integer.toUnsignedString(total) + " bytes");
            }
        }
        message(kind, from);
    }

    /** How many bytes DATA of this kind has between its header and its payload. */
    private static int fields(int kind, boolean counted) {
        return ((kind & FrameType.STREAM) != 0 ? Integer.BYTES : 0) + (counted ? Integer.BYTES : 0)
                + ((kind & FrameType.TAG) != 0 ? Long.BYTES : 0) + ((kind & FrameType.STATUS) != 0 ? Byte.BYTES : 0);
    }

    /** Reads what is left of the fields of DATA, from {@code fields} on. */
    private void message(int kind, int fields) {
        int from = fields;
        if ((kind & FrameType.TAG) != 0) {
            tag = LittleEndian.u64(page, from);
            from += Long.BYTES;
            tagged = true;
        }
        status = (kind & FrameType.STATUS) != 0 ? LittleEndian.u8(page, from++) : 0;
        type = FrameType.DATA;
        flags = kind;
        stream = dataStream;
        offset = from;
        at = from + length;
    }

    private void control(FrameType known) throws ProtocolException {
        if (length < known.shortest || length > known.longest) {
            throw malformed(known + " of " + length + " bytes; it has " + (known.shortest == known.longest
                    ? "" + known.shortest : known.shortest + " to " + known.longest));
        }
        run = 0;
        type = known;
        if (known == FrameType.PING || known == FrameType.PONG) {
            value = LittleEndian.u64(page, offset);
            return;
        }
        stream = LittleEndian.u32(page, offset);
        if (stream == FrameType.CONNECTION && known != FrameType.ERROR || stream == 0 && known == FrameType.SUBSCRIBE) {
            throw malformed(known + " of stream 0x" + Integer.toHexString(stream) + ", which it is not for");
        }
        switch (known) {
            case REQUEST, DROPPED -> value = number(1);
            case COMPLETE -> value = number(0);
            case SUBSCRIBED -> subscribed();
            case QUEUED -> queued();
            case ERROR -> value = Integer.toUnsignedLong(LittleEndian.u32(page, offset + Integer.BYTES));
            case SUBSCRIBE -> checkSubscribe();
            case CANCEL -> value = 0;
            default -> throw new IllegalStateException("no case for " + known);
        }
    }

    private void subscribed() throws ProtocolException {
        value = LittleEndian.u64(page, offset + Integer.BYTES);
        if (length > FrameType.SUBSCRIBED.shortest) {
            if (length != FrameType.SUBSCRIBED.longest) {
                throw malformed("SUBSCRIBED of " + length + " bytes; it has " + FrameType.SUBSCRIBED.shortest + " or "
                        + FrameType.SUBSCRIBED.longest);
            }
            run = LittleEndian.u64(page, offset + Integer.BYTES + Long.BYTES);
            if (run == 0) {
                throw malformed("SUBSCRIBED with run 0, which is none");
            }
        }
    }

    private void queued() throws ProtocolException {
        int waiting = LittleEndian.u32(page, offset + Integer.BYTES);
        capacity = LittleEndian.u32(page, offset + 2 * Integer.BYTES);
        if (waiting < 0 || capacity < 1) {
            throw malformed("QUEUED with " + Integer.toUnsignedString(waiting) + " of " + Integer.toUnsignedString(capacity)
                    + "; these must be 0 to " + Integer.MAX_VALUE + " and 1 to " + Integer.MAX_VALUE);
        }
        value = waiting;
    }

    /** Reads the u64 behind the stream, which must be at least {@code least} and below 2^63. */
    private long number(int least) throws ProtocolException {
        long n = LittleEndian.u64(page, offset + Integer.BYTES);
        if (n < least) {
            throw malformed(type + " with " + Long.toUnsignedString(n) + "; it must be " + least + " to " + Long.MAX_VALUE);
        }
        return n;
    }

    private void checkSubscribe() throws ProtocolException {
        if (LittleEndian.u16(page, offset + 6) != 0) {
            throw malformed("SUBSCRIBE with reserved bytes that are not 0");
        }
        tags();
        policy();
    }

    private ProtocolException malformed(String what) {
        return new ProtocolException("malformed page: " + what + "; " + (at == end ? "its length is " + (end - begin)
                : "at offset " + (at - begin) + " of " + (end - begin)));
    }

    /** How many data credits this page returns. */
    public int dataCredits() {
        return dataCredits;
    }

    /** How many control credits this page returns. */
    public int controlCredits() {
        return controlCredits;
    }

    /** Whether this page was sent on a data credit; if not, on a control credit. */
    public boolean isDataPage() {
        return dataPage;
    }

    /** The type of the frame. */
    public FrameType type() {
        return type;
    }

    /** The stream of the frame. It is {@link FrameType#CONNECTION} only in an ERROR; PING and PONG have none. */
    public int stream() {
        return stream;
    }

    /** DATA: whether a message begins here. */
    public boolean isFirst() {
        return (flags & FrameType.FIRST) != 0;
    }

    /** DATA: whether a message ends here. */
    public boolean isLast() {
        return (flags & FrameType.LAST) != 0;
    }

    /** Whether it is DATA that is a message from its first byte to its last. */
    public boolean isWhole() {
        return type == FrameType.DATA && (flags & WHOLE) == WHOLE;
    }

    /**
     * Whether it is DATA that is a whole message of the same stream and with the same tag as the message before it in this page,
     * and with status 0.
     */
    public boolean isFollowing() {
        return follows;
    }

    /** First DATA: the size of the whole message in bytes, which is not negative and not compared with any limit yet. */
    public int total() {
        return follows ? length : total;
    }

    /** First DATA: whether the message has a {@link #tag} of its own. If not, it has the one that the stream is subscribed to. */
    public boolean isTagged() {
        return tagged;
    }

    /** First DATA: the message's own tag. */
    public long tag() {
        return tag;
    }

    /** First DATA: the message's status, 0 to 255. */
    public int status() {
        return status;
    }

    /** DATA: the index of the payload's first byte in the buffer. */
    public int payloadOffset() {
        return offset;
    }

    /** DATA: how many bytes of payload this frame has. */
    public int payloadLength() {
        return length;
    }

    /** REQUEST, COMPLETE, DROPPED, SUBSCRIBED, QUEUED, PING, PONG: the number. ERROR: the code. */
    public long value() {
        return value;
    }

    /** SUBSCRIBED: the run in which messages are numbered; 0 if the peer does not say. */
    public long run() {
        return run;
    }

    /** QUEUED: how many messages may wait. */
    public int capacity() {
        return capacity;
    }

    /** ERROR: the text as it may be {@linkplain PeerText shown}, in which bytes that are no UTF-8 are replaced. Allocates. */
    public String text() {
        byte[] bytes = new byte[length - 8];
        page.get(offset + 8, bytes);
        return PeerText.shown(new String(bytes, StandardCharsets.UTF_8));
    }

    /** SUBSCRIBE: the tags. Allocates. */
    public Tags tags() throws ProtocolException {
        int kind = LittleEndian.u8(page, offset + 4);
        if (kind >= TAGS.length) {
            throw new ProtocolException("SUBSCRIBE with unknown kind " + kind + " of tags; known are 0 to " + (TAGS.length - 1));
        }
        try {
            return new Tags(TAGS[kind], LittleEndian.u64(page, offset + 8), LittleEndian.u64(page, offset + 16));
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("malformed SUBSCRIBE: " + e.getMessage());
        }
    }

    /** SUBSCRIBE: the policy that the subscriber wishes; null leaves it to the publisher. */
    public @Nullable SlowPolicy policy() throws ProtocolException {
        int code = LittleEndian.u8(page, offset + 5);
        if (code > POLICIES.length) {
            throw new ProtocolException("SUBSCRIBE with unknown policy " + code + "; known are 0 to " + POLICIES.length);
        }
        return code == 0 ? null : POLICIES[code - 1];
    }
}
