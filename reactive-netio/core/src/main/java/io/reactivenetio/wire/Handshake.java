// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import io.reactivenetio.transport.backend.OtherProtocol;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The first bytes that each side of a connection with STREAM framing sends: {@value #SIZE} bytes, in the private data of the
 * connection request and of its answer, or as the first bytes of a plain TCP connection. Both sides see both handshakes, and so
 * come to the same result.
 *
 * @param role who says it
 * @param lowestVersion,highestVersion of the format, 1 to 255
 * @param framing the number of the framing; {@link #STREAM}
 * @param supported feature bits that this side can use
 * @param required feature bits that this side insists on; all of them supported
 * @param pageSize the largest page that this side receives, in bytes
 * @param dataPages pages with data that this side has buffers for
 * @param controlPages pages without data that this side has buffers for beside those
 * @param maxMessage the largest message that this side receives, in bytes
 * @param maxStreams how many streams the peer may have subscribed to at a time
 * @param reassemblyBudget bytes of messages that may have begun and not ended at a time
 * @param keepAliveMillis this side sends at least one page in such a time; 0: it does not promise that
 */
public record Handshake(Role role, int lowestVersion, int highestVersion, int framing, int supported, int required, int pageSize,
        int dataPages, int controlPages, int maxMessage, int maxStreams, long reassemblyBudget, int keepAliveMillis) {
    /** The size of a handshake in bytes. */
    public static final int SIZE = 48;

    /** The first bytes: 'N' 'I' 'O' 0xff. As the length of a message they would be larger than any. */
    public static final int MAGIC = 0xff4f494e;

    public static final int LOWEST_VERSION = 1;
    public static final int HIGHEST_VERSION = 1;

    /** The framing that has a handshake. */
    public static final int STREAM = 2;

    /** Feature: every page has a checksum, if one side requires it. */
    public static final int CRC32C = 1;

    /** Feature: requests may have headers, if both sides can read them. */
    public static final int REQUEST_HEADERS = 2;

    /** Feature: SUBSCRIBED says the run, and is said again where messages are left out, if both sides can read that. */
    public static final int RUNS = 4;

    /** Feature: all that follows is sealed with TLS. Whoever has it requires it. */
    public static final int TLS = 8;

    /** Feature: the side that connects shows who it is before the first page. Whoever has it requires it. */
    public static final int ACCESS = 16;

    public static final int SMALLEST_PAGE = 1024;
    public static final int LARGEST_PAGE = 1 << 24;
    public static final int MOST_STREAMS = 1 << 24;
    public static final int SHORTEST_KEEP_ALIVE = 10;
    public static final int LONGEST_KEEP_ALIVE = 3_600_000;

    private static final int CHECKED = SIZE - Integer.BYTES;

    /** The side that sends a handshake. */
    public enum Role {
        CONNECTS(1),
        ACCEPTS(2);

        private final int code;

        Role(int code) {
            this.code = code;
        }
    }

    /** @throws IllegalArgumentException if one of them makes no sense; says which and why */
    public Handshake {
        range("lowest version", lowestVersion, 1, highestVersion);
        range("highest version", highestVersion, lowestVersion, 255);
        range("framing", framing, 0, 255);
        range("page size", pageSize, SMALLEST_PAGE, LARGEST_PAGE);
        range("number of data pages", dataPages, 1, CreditWindow.MOST_DATA);
        range("number of control pages", controlPages, CreditWindow.FEWEST_CONTROL, CreditWindow.MOST_CONTROL);
        range("largest message", Integer.toUnsignedLong(maxMessage), 1, Integer.MAX_VALUE);
        range("number of streams", Integer.toUnsignedLong(maxStreams), 0, MOST_STREAMS);
        range("reassembly budget", reassemblyBudget, maxMessage, Long.MAX_VALUE);
        if (keepAliveMillis != 0) {
            range("keep-alive interval in ms, if any,", Integer.toUnsignedLong(keepAliveMillis), SHORTEST_KEEP_ALIVE,
                    LONGEST_KEEP_ALIVE);
        }
        if ((required & ~supported) != 0) {
            throw new IllegalArgumentException("features are required that are not supported: bits 0x"
                    + Integer.toHexString(required & ~supported));
        }
    }

    private static void range(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("the " + what + " is " + value + "; it must be " + least + " to " + most);
        }
    }

    /** Writes the handshake at the position of {@code target}, which moves behind it. */
    public void encode(ByteBuffer target) {
        int at = target.position();
        if (target.remaining() < SIZE) {
            throw new IllegalArgumentException("a handshake has " + SIZE + " bytes; there are " + target.remaining());
        }
        LittleEndian.putU32(target, at, MAGIC);
        target.put(at + 4, (byte) lowestVersion);
        target.put(at + 5, (byte) highestVersion);
        target.put(at + 6, (byte) framing);
        target.put(at + 7, (byte) role.code);
        LittleEndian.putU32(target, at + 8, supported);
        LittleEndian.putU32(target, at + 12, required);
        LittleEndian.putU32(target, at + 16, pageSize);
        LittleEndian.putU16(target, at + 20, dataPages);
        target.put(at + 22, (byte) controlPages);
        target.put(at + 23, (byte) SIZE);
        LittleEndian.putU32(target, at + 24, maxMessage);
        LittleEndian.putU32(target, at + 28, maxStreams);
        LittleEndian.putU64(target, at + 32, reassemblyBudget);
        LittleEndian.putU32(target, at + 40, keepAliveMillis);
        LittleEndian.putU32(target, at + CHECKED, checksum(target, at));
        target.position(at + SIZE);
    }

    private static int checksum(ByteBuffer data, int at) {
        CRC32C crc = new CRC32C();
        for (int i = 0; i < CHECKED; i++) {
            crc.update(data.get(at + i));
        }
        return (int) crc.getValue();
    }

    /** Whether what the peer has said from the position on begins as a handshake does, of whatever version. */
    public static boolean isOne(ByteBuffer source) {
        return source.remaining() >= 8 && LittleEndian.u32(source, source.position()) == MAGIC;
    }

    /**
     * Reads a handshake at the position of {@code source}, which is not moved. Bytes behind it are ignored, because providers pad
     * private data.
     *
     * @throws ProtocolException if it is none, of versions that are not spoken here, corrupt, or makes no sense
     */
    public static Handshake decode(ByteBuffer source) throws ProtocolException {
        int at = source.position();
        int there = source.remaining();
        if (!isOne(source)) {
            String hint = OtherProtocol.hint(source);
            throw new ProtocolException("the peer's first " + Math.min(there, SIZE) + " bytes are not a handshake of"
                    + " reactive-netio" + (hint.isEmpty() ? "; does it use RAW or PAGE framing, another backend, or is it another"
                    + " program?" : hint));
        }
        int lowest = LittleEndian.u8(source, at + 4);
        int highest = LittleEndian.u8(source, at + 5);
        if (lowest > HIGHEST_VERSION || highest < LOWEST_VERSION) {
            throw new ProtocolException("the peer speaks versions " + lowest + " to " + highest + " of the format, this side "
                    + LOWEST_VERSION + " to " + HIGHEST_VERSION);
        }
        if (there < SIZE || LittleEndian.u8(source, at + 23) != SIZE) {
            throw new ProtocolException("the peer's handshake is cut off: it has " + there + " of " + SIZE + " bytes"
                    + (there < SIZE ? "" : " and says it has " + LittleEndian.u8(source, at + 23)));
        }
        if (LittleEndian.u32(source, at + CHECKED) != checksum(source, at)) {
            throw new ProtocolException("the peer's handshake is corrupt: its checksum does not fit");
        }
        int role = LittleEndian.u8(source, at + 7);
        if (role != Role.CONNECTS.code && role != Role.ACCEPTS.code) {
            throw new ProtocolException("the peer's handshake makes no sense: role " + role + "; 1 connects, 2 accepts");
        }
        try {
            return new Handshake(role == Role.CONNECTS.code ? Role.CONNECTS : Role.ACCEPTS, lowest, highest,
                    LittleEndian.u8(source, at + 6), LittleEndian.u32(source, at + 8),
                    LittleEndian.u32(source, at + 12), LittleEndian.u32(source, at + 16),
                    LittleEndian.u16(source, at + 20), LittleEndian.u8(source, at + 22), LittleEndian.u32(source, at + 24),
                    LittleEndian.u32(source, at + 28), LittleEndian.u64(source, at + 32), LittleEndian.u32(source, at + 40));
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("the peer's handshake makes no sense: " + e.getMessage());
        }
    }

    /**
     * Finds what this side and {@code peer} have in common. The other side comes to the same, or fails for the same reason.
     *
     * @throws ProtocolException if they cannot work together; says why
     */
    public Agreement negotiate(Handshake peer) throws ProtocolException {
        if (role == peer.role) {
            throw new ProtocolException("both sides say that they " + (role == Role.CONNECTS ? "connect" : "accept")
                    + "; was our own handshake sent back?");
        }
        int version = Math.min(highestVersion, peer.highestVersion);
        if (version < Math.max(lowestVersion, peer.lowestVersion)) {
            throw new ProtocolException("the peer speaks versions " + peer.lowestVersion + " to " + peer.highestVersion
                    + " of the format, this side " + lowestVersion + " to " + highestVersion);
        }
        if (framing != peer.framing) {
            throw new ProtocolException("the peer uses framing " + peer.framing + ", this side " + framing + " (0 is RAW, 1 PAGE,"
                    + " 2 STREAM); configure both alike");
        }
        if (((peer.required ^ required) & TLS) != 0) {
            throw new ProtocolException(((required & TLS) != 0 ? "the peer has no TLS, and this side has"
                    : "the peer has TLS, and this side has none") + "; configure secure(…) on both sides or on none");
        }
        if (((peer.required ^ required) & ACCESS) != 0) {
            boolean isAsked = (role == Role.ACCEPTS) == ((required & ACCESS) != 0);
            throw new ProtocolException(isAsked
                    ? "the side that accepts asks who connects, and the other one shows nothing; configure credentials(…) there"
                    : "the side that connects shows who it is, and the other one does not ask; configure authenticate(…) there,"
                    + " or no credentials(…)");
        }
        if ((peer.required & ~supported) != 0) {
            throw new ProtocolException("the peer requires features that this side does not have: bits 0x"
                    + Integer.toHexString(peer.required & ~supported));
        }
        if ((required & ~peer.supported) != 0) {
            throw new ProtocolException("the peer does not have features that this side requires: bits 0x"
                    + Integer.toHexString(required & ~peer.supported));
        }
        return new Agreement(this, peer, version);
    }
}
