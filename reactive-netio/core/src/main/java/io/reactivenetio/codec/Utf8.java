// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Text in UTF-8. The JDK has no way to write a String to a buffer, or to tell its size in UTF-8, without an allocation. Any
 * thread; the caller owns the buffer.
 */
public final class Utf8 {
    private static final int ONE_BYTE = 0x80;
    private static final int TWO_BYTES = 0x800;
    private static final int SIX_BITS = 0x3f;

    private Utf8() {
    }

    /** Whether the characters at {@code at} and behind it are a pair that stands for one code point. */
    private static boolean isPair(String text, int at) {
        return Character.isHighSurrogate(text.charAt(at)) && at + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(at + 1));
    }

    /** How many bytes {@code text} has. */
    public static int size(String text) {
        int length = text.length();
        long bytes = length;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < ONE_BYTE) {
                continue;
            }
            if (!Character.isSurrogate(c)) {
                bytes += c < TWO_BYTES ? 1 : 2;
            } else if (isPair(text, i)) {
                bytes += 2; // four for the two
                i++;
            } // else a question mark
        }
        return (int) Math.min(bytes, Integer.MAX_VALUE); // which is too much, too
    }

    /** Writes {@code text} from the position of {@code target} on. */
    public static void encode(String text, ByteBuffer target) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c < ONE_BYTE) {
                target.put((byte) c);
            } else if (c < TWO_BYTES) {
                target.put((byte) (0xc0 | c >> 6)).put(last(c));
            } else if (!Character.isSurrogate(c)) {
                target.put((byte) (0xe0 | c >> 12)).put(last(c >> 6)).put(last(c));
            } else if (isPair(text, i)) {
                int point = text.codePointAt(i++);
                target.put((byte) (0xf0 | point >> 18)).put(last(point >> 12)).put(last(point >> 6)).put(last(point));
            } else {
                target.put((byte) '?');
            }
        }
    }

    /** A byte that follows another, with the last six bits. */
    private static byte last(int bits) {
        return (byte) (ONE_BYTE | bits & SIX_BITS);
    }

    /** The text from the position of {@code message} to its limit. */
    public static String decode(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
