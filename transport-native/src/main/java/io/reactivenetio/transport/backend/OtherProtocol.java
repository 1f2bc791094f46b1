// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Recognizes by its first bytes what a peer speaks that speaks no protocol of this backend. */
public final class OtherProtocol {
    private static final List<String> REQUESTS = List.of("GET ", "HEAD", "POST", "PUT ", "DELE", "OPTI", "CONN", "PATC", "TRAC",
            "PRI ");
    /** How many bytes are looked at. */
    private static final int SHOWN = 40;
    private static final String WHERE = ": is this the right host and port?";

    /** {@code struct ofi_ctrl_hdr}, with which libfabric's providers over TCP greet each other: 1.17 to 2.6 say version 3. */
    private static final int LIBFABRIC_HEADER = 32;
    private static final int LIBFABRIC_HIGHEST_VERSION = 15;
    private static final int LIBFABRIC_HIGHEST_TYPE = 5;

    /** An RSocket frame over TCP: u24 length, u32 stream, u6 type and u10 flags, all big-endian; then the type's fields. */
    private static final int RSOCKET_STREAM_AT = 3;
    private static final int RSOCKET_TYPE_AT = 7;
    private static final int RSOCKET_FIELDS_AT = 9;
    private static final int RSOCKET_LENGTH = 13;
    private static final int RSOCKET_SETUP = 0x01;
    private static final int RSOCKET_ERROR = 0x0b;
    private static final int RSOCKET_TYPE_SHIFT = 10;

    private OtherProtocol() {
    }

    /**
     * Says what the bytes from the position on are, and what to do, after {@code "; "}. The result is empty if that is not known.
     * The position is not moved.
     */
    public static String hint(ByteBuffer first) {
        byte[] bytes = new byte[Math.min(first.remaining(), SHOWN)];
        first.duplicate().get(bytes);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        if (text.length() >= 4 && REQUESTS.contains(text.substring(0, 4)) || text.startsWith("HTTP/")) {
            return "; the other side speaks HTTP (\"" + line(text) + "\")" + WHERE;
        }
        if (text.startsWith("SSH-")) {
            return "; the other side speaks SSH (\"" + line(text) + "\")" + WHERE;
        }
        if (bytes.length >= 3 && (bytes[0] == 0x16 || bytes[0] == 0x15) && bytes[1] == 3 && bytes[2] >= 0 && bytes[2] <= 4) {
            return "; the other side speaks TLS from its first byte, which this library does in its own messages only" + WHERE;
        }
        if (isRSocket(ByteBuffer.wrap(bytes))) {
            return "; the other side speaks RSocket" + WHERE;
        }
        if (isLibfabric(ByteBuffer.wrap(bytes))) {
            return "; the other side uses libfabric's provider tcp, and this side plain TCP: configure backend(…) alike on both"
                    + " sides";
        }
        return "";
    }

    /** Whether the bytes from the position on are the greeting of one of libfabric's providers over TCP. It is not moved. */
    public static boolean isLibfabric(ByteBuffer first) {
        int at = first.position();
        if (first.remaining() < LIBFABRIC_HEADER || first.get(at) < 1 || first.get(at) > LIBFABRIC_HIGHEST_VERSION
                || first.get(at + 1) < 0 || first.get(at + 1) > LIBFABRIC_HIGHEST_TYPE) {
            return false;
        }
        ByteBuffer fields = first.slice(at + 4, LIBFABRIC_HEADER - 4).order(ByteOrder.LITTLE_ENDIAN);
        long byteOrder = fields.getLong(20); // 1, as the sender's processor writes it
        return fields.getInt(0) == 0 && fields.getLong(4) == 0 && fields.getLong(12) == 0
                && (byteOrder == 1 || byteOrder == Long.reverseBytes(1));
    }

    /** Whether a connection begins with a SETUP frame, or is answered with an ERROR frame. */
    private static boolean isRSocket(ByteBuffer first) {
        if (first.remaining() < RSOCKET_LENGTH || first.getInt(RSOCKET_STREAM_AT) != 0) {
            return false;
        }
        int type = Short.toUnsignedInt(first.getShort(RSOCKET_TYPE_AT)) >> RSOCKET_TYPE_SHIFT;
        int majorOrCode = first.getShort(RSOCKET_FIELDS_AT);
        return type == RSOCKET_SETUP && (majorOrCode == 0 || majorOrCode == 1) || type == RSOCKET_ERROR && majorOrCode == 0;
    }

    /** The first line, as far as it is printable. */
    private static String line(String text) {
        int end = 0;
        while (end < text.length() && text.charAt(end) >= ' ' && text.charAt(end) < 0x7f) {
            end++;
        }
        return text.substring(0, end);
    }
}
