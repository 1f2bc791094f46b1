// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** The headers that a request may have before its payload: docs/wire-format.md, "Headers of a request". */
public final class RequestHeaders {
    /** How many bytes all headers of a request may have together, with their lengths. */
    public static final int MOST_BYTES = 4096;

    /** How many headers a request may have: what is made of them takes more memory than their bytes. */
    public static final int MOST = 64;

    /** The header that says in how many nanoseconds nobody waits for the answer any more. It comes first. */
    public static final String TIMEOUT = "netio-timeout";

    /** A value of {@link #TIMEOUT}, for {@link #setTimeout}: as many digits as {@link Long#MAX_VALUE} has. */
    public static final String NO_TIME = "0".repeat(19);

    private static final byte[] TIMEOUT_KEY = TIMEOUT.getBytes(StandardCharsets.UTF_8);

    /** The length before the first header. */
    private static final int LENGTH = Short.BYTES;
    /** The lengths of a key and of a value. */
    private static final int LENGTHS = Byte.BYTES + Short.BYTES;
    private static final int LONGEST_KEY = 255;
    private static final byte[] NONE = {};

    private RequestHeaders() {
    }

    /**
     * Encodes {@code headers} in their order, each that still fits {@code room} bytes and the limits of the format. The others
     * are left out: {@code leftOut} is called with the key of each and with its size in bytes.
     *
     * @return the block of headers, with the length before it; nothing if no header is left
     */
    public static byte[] encode(Map<String, String> headers, int room, BiConsumer<String, Integer> leftOut) {
        if (headers.isEmpty()) {
            return NONE;
        }
        List<byte[]> texts = new ArrayList<>(2 * headers.size());
        int left = Math.min(room - LENGTH, MOST_BYTES);
        int size = LENGTH;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            byte[] key = header.getKey().getBytes(StandardCharsets.UTF_8);
            byte[] value = header.getValue().getBytes(StandardCharsets.UTF_8);
            int bytes = LENGTHS + key.length + value.length;
            if (key.length < 1 || key.length > LONGEST_KEY || bytes > left || texts.size() == 2 * MOST) {
                leftOut.accept(header.getKey(), bytes);
            } else {
                texts.add(key);
                texts.add(value);
                left -= bytes;
                size += bytes;
            }
        }
        return texts.isEmpty() ? NONE : block(texts, size);
    }

    /**
     * The nanoseconds of a {@link #TIMEOUT}.
     *
     * @throws ProtocolException if it has none
     */
    public static long timeout(String value) throws ProtocolException {
        boolean digits = value.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        if (digits && value.length() <= NO_TIME.length()) {
            try {
                return Long.parseLong(value);
            } catch (NumberFormatException none) { // nothing, or more than a long has
            }
        }
        throw new ProtocolException("the header " + TIMEOUT + " of a request is no time: " + PeerText.shown(value));
    }

    /** Sets the {@link #TIMEOUT} of a request that begins with it, as {@link #NO_TIME}; nothing if that did not fit. */
    public static void setTimeout(ByteBuffer request, long nanos) {
        int key = request.position() + LENGTH;
        int value = key + LENGTHS + TIMEOUT_KEY.length;
        if (value + NO_TIME.length() <= request.limit() && request.get(key) == TIMEOUT_KEY.length
                && request.slice(key + Byte.BYTES, TIMEOUT_KEY.length).equals(ByteBuffer.wrap(TIMEOUT_KEY))) {
            long rest = Math.max(0, nanos);
            for (int at = value + NO_TIME.length() - 1; at >= value; at--) {
                request.put(at, (byte) ('0' + rest % 10));
                rest /= 10;
            }
        }
    }

    private static byte[] block(List<byte[]> texts, int size) {
        ByteBuffer block = ByteBuffer.allocate(size);
        LittleEndian.putU16(block, 0, size - LENGTH);
        block.position(LENGTH);
        for (int i = 0; i < texts.size(); i += 2) {
            byte[] key = texts.get(i);
            byte[] value = texts.get(i + 1);
            block.put((byte) key.length).put(key);
            LittleEndian.putU16(block, block.position(), value.length);
            block.position(block.position() + Short.BYTES).put(value);
        }
        return block.array();
    }

    /**
     * Reads the headers at the position of {@code message}, which moves behind them. The Map can be changed, and has the order of
     * the message.
     *
     * @throws ProtocolException if they are none; nothing is known of the position then
     */
    public static Map<String, String> decode(ByteBuffer message) throws ProtocolException {
        int at = message.position();
        if (message.remaining() < LENGTH) {
            throw new ProtocolException("the length of a request's headers is cut off: the request has " + message.remaining()
                    + " bytes");
        }
        int size = LittleEndian.u16(message, at);
        int there = message.remaining() - LENGTH;
        if (size > MOST_BYTES || size > there) {
            throw new ProtocolException("a request has " + size + " bytes of headers; " + MOST_BYTES + " are allowed, and "
                    + there + " have arrived");
        }
        Map<String, String> headers = new LinkedHashMap<>();
        CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
        int end = at + LENGTH + size;
        for (int next = at + LENGTH; next < end; ) {
            int key = LittleEndian.u8(message, next);
            if (key == 0 || LENGTHS + key > end - next) {
                throw new ProtocolException("a header of a request has a key of " + key + " bytes; " + (end - next - 1)
                        + " bytes of headers are left for it and its value, which has a length of 2");
            }
            int value = LittleEndian.u16(message, next + Byte.BYTES + key);
            if (LENGTHS + key + value > end - next) {
                throw new ProtocolException("a header of a request has a value of " + value + " bytes; "
                        + (end - next - LENGTHS - key) + " bytes of headers are left");
            }
            String name = text(message, next + Byte.BYTES, key, utf8);
            if (headers.put(name, text(message, next + LENGTHS + key, value, utf8)) != null) {
                throw new ProtocolException("a request has the header " + PeerText.shown(name) + " twice");
            }
            if (headers.size() > MOST) {
                throw new ProtocolException("a request has more than " + MOST + " headers");
            }
            next += LENGTHS + key + value;
        }
        message.position(end);
        return headers;
    }

    private static String text(ByteBuffer message, int at, int bytes, CharsetDecoder utf8) throws ProtocolException {
        try {
            return utf8.decode(message.slice(at, bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new ProtocolException("a header of a request is not UTF-8: " + e.getMessage());
        }
    }
}
