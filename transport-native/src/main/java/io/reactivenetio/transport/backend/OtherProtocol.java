// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Recognizes by its first bytes what a peer speaks that speaks no protocol of this library. */
public final class OtherProtocol {
    private static final List<String> REQUESTS = List.of("GET ", "HEAD", "POST", "PUT ", "DELE", "OPTI", "CONN", "PATC", "TRAC",
            "PRI ");
    /** How many bytes are looked at. */
    private static final int SHOWN = 40;

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
        if (text.length() >= 4 && REQUESTS.contains(text.substring(0, 4))) {
            return "; they are an HTTP request (\"" + line(text) + "\"): this port is no web server's";
        }
        if (text.startsWith("HTTP/")) {
            return "; they are an HTTP answer (\"" + line(text) + "\"): that port is a web server's, check host and port";
        }
        if (text.startsWith("SSH-")) {
            return "; they are SSH's (\"" + line(text) + "\"): check host and port";
        }
        if (bytes.length >= 3 && (bytes[0] == 0x16 || bytes[0] == 0x15) && bytes[1] == 3 && bytes[2] <= 4) {
            return "; they are TLS, which this library does not speak: check host and port, or connect through a tunnel";
        }
        return "";
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
