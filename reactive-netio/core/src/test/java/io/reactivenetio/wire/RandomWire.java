// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/** Random contents in the notation of docs/wire-vectors.txt, and random damage to their bytes. */
final class RandomWire {
    /** With 1 to 4 bytes each in UTF-8, and what is next to surrogates, and the last there is. */
    private static final String[] TEXTS = {"a", "key", "\u00fc", "\u0800", "\ud7ff", "\ue000", "\ud83d\ude00", "\udbff\udfff"};

    private RandomWire() {
    }

    static List<String> meaning(String format, Random random) {
        List<String> lines = new ArrayList<>();
        switch (format) {
            case "page" -> {
                for (int i = 1 + random.nextInt(8); i > 0; i--) {
                    lines.add("message tag=" + tag(random) + " status=" + status(random) + " payload=" + bytes(random, 40));
                }
            }
            case "handshake" -> lines.add(handshake(random));
            case "request" -> {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    lines.add("header key=" + hex(i + TEXTS[random.nextInt(TEXTS.length)]) + " value="
                            + hex(TEXTS[random.nextInt(TEXTS.length)].repeat(random.nextInt(4))));
                }
                lines.add("request payload=" + bytes(random, 10));
            }
            default -> {
                lines.add("page data=" + random.nextInt(65_536) + " control=" + random.nextInt(256));
                for (int i = random.nextInt(10); i > 0; i--) {
                    lines.add(random.nextInt(3) > 0 ? data(random) : control(random));
                }
            }
        }
        return lines;
    }

    private static String hex(String text) {
        return text.isEmpty() ? "-" : HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String data(Random random) {
        String payload = bytes(random, 40);
        int length = payload.equals("-") ? 0 : payload.length() / 2;
        boolean first = random.nextInt(4) > 0;
        boolean last = random.nextInt(4) > 0;
        int total = last ? length : length + 1 + (random.nextBoolean() ? 0 : random.nextInt(Integer.MAX_VALUE - 100));
        return "data stream=" + stream(random) + (first ? " first" : "") + (last ? " last" : "") + (first ? " total=" + total
                + " tag=" + (random.nextBoolean() ? "own" : tag(random)) + " status=" + status(random) : "")
                + " payload=" + payload;
    }

    private static String control(Random random) {
        return switch (random.nextInt(10)) {
            case 0 -> subscribe(random);
            case 1 -> "request stream=" + stream(random) + " n=" + (1 + (random.nextLong() >>> 2));
            case 2 -> "cancel stream=" + stream(random);
            case 3 -> "complete stream=" + stream(random) + " n=" + (random.nextLong() >>> 1);
            case 4 -> "error stream=" + (random.nextBoolean() ? "4294967295" : stream(random)) + " code="
                    + Integer.toUnsignedString(random.nextInt()) + " text=" + text(random);
            case 5 -> "ping value=" + tag(random);
            case 6 -> "pong value=" + tag(random);
            case 7 -> "subscribed stream=" + stream(random) + " n=" + Long.toUnsignedString(random.nextLong())
                    + (random.nextBoolean() ? " run=%016x".formatted(random.nextLong() | 1) : "");
            case 8 -> "queued stream=" + stream(random) + " n=" + (random.nextInt() >>> 1) + " of="
                    + (1 + (random.nextInt() >>> 2));
            default -> "dropped stream=" + stream(random) + " n=" + (1 + (random.nextLong() >>> 2));
        };
    }

    private static String subscribe(Random random) {
        int kind = random.nextInt(3);
        long second = kind == 0 ? 0 : random.nextLong();
        long tag = random.nextLong();
        if (kind == 1 && Long.compareUnsigned(tag, second) > 0) {
            long swapped = tag;
            tag = second;
            second = swapped;
        }
        return "subscribe stream=" + (1 + random.nextInt(1000)) + " kind=" + kind + " policy=" + random.nextInt(5)
                + " tag=%016x second=%016x".formatted(kind == 2 ? tag & second : tag, second);
    }

    private static String handshake(Random random) {
        int lowest = 1;
        int supported = random.nextInt();
        int message = 1 + random.nextInt(Integer.MAX_VALUE - 1);
        return "handshake role=" + (1 + random.nextInt(2)) + " lowest=" + lowest + " highest=" + (1 + random.nextInt(255))
                + " framing=" + random.nextInt(256) + " supported=%08x required=%08x".formatted(supported,
                supported & random.nextInt()) + " page=" + (1024 + random.nextInt((1 << 24) - 1023)) + " data="
                + (1 + random.nextInt(65_535)) + " control=" + (3 + random.nextInt(253)) + " message=" + message + " streams="
                + random.nextInt((1 << 24) + 1) + " budget=" + (message + (random.nextLong() >>> 2)) + " keepalive="
                + (random.nextBoolean() ? 0 : 10 + random.nextInt(3_599_991));
    }

    /** Few, so that one follows itself often. */
    private static String stream(Random random) {
        return random.nextInt(10) == 0 ? Integer.toUnsignedString(random.nextInt() & ~1) : "" + random.nextInt(3);
    }

    private static String tag(Random random) {
        return "%016x".formatted(random.nextInt(10) == 0 ? random.nextLong() : random.nextInt(3));
    }

    private static int status(Random random) {
        return random.nextBoolean() ? 0 : random.nextInt(256);
    }

    private static String bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes.length == 0 ? "-" : HexFormat.of().formatHex(bytes);
    }

    private static String text(Random random) {
        int length = random.nextInt(20);
        return length == 0 ? "-" : HexFormat.of().formatHex("x".repeat(length).getBytes(StandardCharsets.US_ASCII));
    }

    /** Flips, cuts, adds, overwrites; then repairs the checksum three times of four, so that what is behind it is reached. */
    static byte[] damaged(String format, byte[] good, Random random) {
        byte[] bytes = good;
        for (int i = 1 + random.nextInt(3); i > 0 && bytes.length > 0; i--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt();
                case 2 -> bytes[at] = (byte) (random.nextBoolean() ? 0 : 0xff);
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                default -> bytes = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(8));
            }
        }
        return random.nextInt(4) > 0 ? repaired(format, bytes) : bytes;
    }

    /** The damaged bytes with the checksum that they should have, if they are to have one. */
    static byte[] repaired(String format, byte[] damaged) {
        boolean handshake = format.equals("handshake");
        byte[] bytes = damaged.clone();
        if (!handshake && !format.equals("stream+crc") || bytes.length < (handshake ? 48 : 8)) {
            return bytes;
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, handshake ? 44 : 4);
        if (!handshake) {
            crc.update(bytes, 8, bytes.length - 8);
        }
        for (int i = 0; i < 4; i++) {
            bytes[(handshake ? 44 : 4) + i] = (byte) (crc.getValue() >>> 8 * i);
        }
        return bytes;
    }
}
