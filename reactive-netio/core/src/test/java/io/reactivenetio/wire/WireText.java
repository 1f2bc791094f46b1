// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The notation of docs/wire-vectors.txt and of wire_peer.c: what bytes mean, and the bytes that mean it, through our classes. */
final class WireText {
    private static final int ROOM = 1 << 16;

    private WireText() {
    }

    /** One line for each thing found. */
    static List<String> read(String format, byte[] bytes) throws ProtocolException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return switch (format) {
            case "page" -> readPage(buffer);
            case "stream", "stream+crc" -> readStream(buffer, format.endsWith("crc"));
            case "handshake" -> List.of(text(Handshake.decode(buffer)));
            case "request" -> readRequest(buffer);
            default -> throw new IllegalArgumentException(format);
        };
    }

    private static List<String> readPage(ByteBuffer buffer) throws ProtocolException {
        List<String> lines = new ArrayList<>();
        PageReader reader = new PageReader().begin(buffer);
        while (reader.next()) {
            lines.add("message tag=" + hex(reader.tag()) + " status=" + reader.status() + " payload="
                    + payload(buffer, reader.payloadOffset(), reader.payloadLength()));
        }
        return lines;
    }

    private static List<String> readStream(ByteBuffer buffer, boolean checksums) throws ProtocolException {
        List<String> lines = new ArrayList<>();
        FrameReader reader = new FrameReader(checksums).begin(buffer);
        lines.add("page data=" + reader.dataCredits() + " control=" + reader.controlCredits());
        while (reader.next()) {
            lines.add(frame(reader, buffer));
        }
        return lines;
    }

    private static List<String> readRequest(ByteBuffer buffer) throws ProtocolException {
        List<String> lines = new ArrayList<>();
        RequestHeaders.decode(buffer).forEach((key, value) -> lines.add("header key=" + text(key) + " value=" + text(value)));
        lines.add("request payload=" + payload(buffer, buffer.position(), buffer.remaining()));
        return lines;
    }

    private static String text(String text) {
        return text.isEmpty() ? "-" : HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String frame(FrameReader r, ByteBuffer buffer) throws ProtocolException {
        String stream = " stream=" + Integer.toUnsignedString(r.stream());
        return switch (r.type()) {
            case DATA -> "data" + stream + (r.isFirst() ? " first" : "") + (r.isLast() ? " last" : "")
                    + (r.isFirst() ? " total=" + r.total() + " tag=" + (r.isTagged() ? hex(r.tag()) : "own") + " status="
                    + r.status() : "") + " payload=" + payload(buffer, r.payloadOffset(), r.payloadLength());
            case SUBSCRIBE -> "subscribe" + stream + " kind=" + r.tags().kind().ordinal() + " policy=" + code(r.policy())
                    + " tag=" + hex(r.tags().first()) + " second=" + hex(r.tags().second());
            case CANCEL -> "cancel" + stream;
            case ERROR -> "error" + stream + " code=" + r.value() + " text="
                    + payload(buffer, r.payloadOffset() + 8, r.payloadLength() - 8);
            case PING, PONG -> r.type().name().toLowerCase(java.util.Locale.ROOT) + " value=" + hex(r.value());
            case QUEUED -> "queued" + stream + " n=" + r.value() + " of=" + r.capacity();
            case REQUEST, COMPLETE, SUBSCRIBED, DROPPED -> r.type().name().toLowerCase(java.util.Locale.ROOT) + stream + " n="
                    + Long.toUnsignedString(r.value()) + (r.run() == 0 ? "" : " run=" + hex(r.run()));
        };
    }

    private static String text(Handshake h) {
        return "handshake role=" + (h.role() == Handshake.Role.CONNECTS ? 1 : 2) + " lowest=" + h.lowestVersion() + " highest="
                + h.highestVersion() + " framing=" + h.framing() + " supported=" + "%08x".formatted(h.supported()) + " required="
                + "%08x".formatted(h.required()) + " page=" + h.pageSize() + " data=" + h.dataPages() + " control="
                + h.controlPages() + " message=" + h.maxMessage() + " streams=" + h.maxStreams() + " budget="
                + h.reassemblyBudget() + " keepalive=" + h.keepAliveMillis();
    }

    private static String hex(long value) {
        return "%016x".formatted(value);
    }

    private static String payload(ByteBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.get(offset, bytes);
        return length == 0 ? "-" : HexFormat.of().formatHex(bytes);
    }

    /** The bytes that mean {@code lines}. */
    static byte[] write(String format, List<String> lines) {
        ByteBuffer buffer = ByteBuffer.allocate(ROOM);
        int size = switch (format) {
            case "page" -> writePage(buffer, lines);
            case "stream", "stream+crc" -> writeStream(buffer, lines, format.endsWith("crc"));
            case "handshake" -> {
                handshake(new Line(lines.getFirst())).encode(buffer);
                yield buffer.position();
            }
            case "request" -> writeRequest(buffer, lines);
            default -> throw new IllegalArgumentException(format);
        };
        return java.util.Arrays.copyOf(buffer.array(), size);
    }

    private static int writePage(ByteBuffer buffer, List<String> lines) {
        PageWriter writer = new PageWriter().begin(buffer);
        for (String text : lines) {
            Line line = new Line(text);
            fits(writer.append(line.hex("tag"), (int) line.number("status"), line.bytes("payload")));
        }
        return writer.size();
    }

    private static int writeStream(ByteBuffer buffer, List<String> lines, boolean checksums) {
        FrameWriter writer = new FrameWriter(checksums).begin(buffer);
        for (String text : lines.subList(1, lines.size())) {
            fits(append(writer, new Line(text)));
        }
        Line page = new Line(lines.getFirst());
        return writer.finish((int) page.number("data"), (int) page.number("control"));
    }

    private static int writeRequest(ByteBuffer buffer, List<String> lines) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String text : lines.subList(0, lines.size() - 1)) {
            Line line = new Line(text);
            headers.put(line.text("key"), line.text("value"));
        }
        byte[] block = RequestHeaders.encode(headers, ROOM, (key, bytes) -> fits(false));
        buffer.put(headers.isEmpty() ? new byte[2] : block).put(new Line(lines.getLast()).bytes("payload"));
        return buffer.position();
    }

    private static int code(@Nullable SlowPolicy policy) {
        return policy == null ? 0 : policy.ordinal() + 1;
    }

    private static @Nullable SlowPolicy policy(int code) {
        return code == 0 ? null : SlowPolicy.values()[code - 1];
    }

    private static boolean append(FrameWriter writer, Line line) {
        int stream = line.has("stream") ? (int) line.number("stream") : 0;
        return switch (line.name) {
            case "data" -> data(writer, line, stream);
            case "subscribe" -> writer.subscribe(stream, new Tags(Tags.Kind.values()[(int) line.number("kind")],
                    line.hex("tag"), line.hex("second")), policy((int) line.number("policy")));
            case "request" -> writer.request(stream, line.number("n"));
            case "cancel" -> writer.cancel(stream);
            case "complete" -> writer.complete(stream, line.number("n"));
            case "error" -> writer.error(stream, (int) line.number("code"), line.bytes("text").array(),
                    line.bytes("text").remaining());
            case "ping" -> writer.ping(line.hex("value"));
            case "pong" -> writer.pong(line.hex("value"));
            case "subscribed" -> writer.subscribed(stream, line.number("n"), line.has("run") ? line.hex("run") : 0);
            case "queued" -> writer.queued(stream, (int) line.number("n"), (int) line.number("of"));
            case "dropped" -> writer.dropped(stream, line.number("n"));
            default -> throw new IllegalArgumentException(line.name);
        };
    }

    private static boolean data(FrameWriter writer, Line line, int stream) {
        int part = (line.has("first") ? FrameType.FIRST : 0) | (line.has("last") ? FrameType.LAST : 0);
        boolean first = line.has("first");
        boolean tagged = first && !"own".equals(line.values.get("tag"));
        ByteBuffer payload = line.bytes("payload");
        if (!writer.head(stream, part, tagged, tagged ? line.hex("tag") : 0, first ? (int) line.number("status") : 0,
                first ? (int) line.number("total") : 0, payload.remaining())) {
            return false;
        }
        writer.copy(payload, payload.remaining());
        return true;
    }

    private static Handshake handshake(Line h) {
        return new Handshake(h.number("role") == 1 ? Handshake.Role.CONNECTS : Handshake.Role.ACCEPTS, (int) h.number("lowest"),
                (int) h.number("highest"), (int) h.number("framing"), (int) h.hex("supported"), (int) h.hex("required"),
                (int) h.number("page"), (int) h.number("data"), (int) h.number("control"), (int) h.number("message"),
                (int) h.number("streams"), h.number("budget"), (int) h.number("keepalive"));
    }

    private static void fits(boolean written) {
        if (!written) {
            throw new IllegalStateException("does not fit the test's page");
        }
    }

    /** A name and its values. */
    private static final class Line {
        private final String name;
        private final Map<String, String> values = new HashMap<>();

        Line(String text) {
            String[] words = text.split(" ");
            name = words[0];
            for (String word : words) {
                int equals = word.indexOf('=');
                values.put(equals < 0 ? word : word.substring(0, equals), word.substring(equals + 1));
            }
        }

        boolean has(String key) {
            return values.containsKey(key);
        }

        long number(String key) {
            return Long.parseUnsignedLong(values.get(key));
        }

        long hex(String key) {
            return Long.parseUnsignedLong(values.get(key), 16);
        }

        String text(String key) {
            return StandardCharsets.UTF_8.decode(bytes(key)).toString();
        }

        ByteBuffer bytes(String key) {
            String digits = values.get(key);
            return ByteBuffer.wrap("-".equals(digits) ? new byte[0] : HexFormat.of().parseHex(digits));
        }
    }
}
