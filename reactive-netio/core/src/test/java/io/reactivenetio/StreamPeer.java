// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.Handshake;
import io.reactivenetio.wire.ProtocolException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The other side of a STREAM connection over plain TCP, which says what a test wants, also what nobody should. */
final class StreamPeer implements AutoCloseable {
    static final int PAGE = 1024;
    /** It never returns credits by itself, and the other side returns its own in pages of their own if they come slowly. */
    private static final int CONTROL_PAGES = 8;
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final FrameWriter writer = new FrameWriter(false);
    private final FrameReader reader = new FrameReader(false);
    private final Deque<String> heard = new ArrayDeque<>();

    /** It takes messages of up to {@code maxMessage} bytes, and so many of them unfinished, into {@code dataPages} pages. */
    StreamPeer(int port, int dataPages, int maxMessage) throws IOException {
        this(port, dataPages, maxMessage, 0);
    }

    /** It promises to say something each {@code keepAliveMillis}. */
    StreamPeer(int port, int dataPages, int maxMessage, int keepAliveMillis) throws IOException {
        this(port, dataPages, maxMessage, keepAliveMillis, 0);
    }

    private StreamPeer(int port, int dataPages, int maxMessage, int keepAliveMillis, int features) throws IOException {
        this(port);
        ByteBuffer said = ByteBuffer.allocate(Handshake.SIZE);
        new Handshake(Handshake.Role.CONNECTS, 1, 1, Handshake.STREAM, features, 0, PAGE, dataPages, CONTROL_PAGES, maxMessage,
                10, maxMessage, keepAliveMillis).encode(said);
        out.write(said.array());
        try {
            Handshake.decode(ByteBuffer.wrap(in.readNBytes(Handshake.SIZE)));
        } catch (ProtocolException e) {
            throw new AssertionError(e);
        }
    }

    /** It has said nothing yet. */
    private StreamPeer(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** It supports these features. */
    static StreamPeer withFeatures(int port, int features) throws IOException {
        return new StreamPeer(port, 8, 100_000, 0, features);
    }

    /** Says {@code bytes} instead of a handshake; all that it is answered until the connection is closed. */
    static byte[] answerTo(int port, byte[] bytes) throws IOException {
        try (StreamPeer peer = new StreamPeer(port)) {
            peer.out.write(bytes);
            return peer.in.readAllBytes();
        }
    }

    /** One page, which returns so many credits. */
    void send(int dataCredits, int controlCredits, Consumer<FrameWriter> frames) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(4 + PAGE).order(ByteOrder.LITTLE_ENDIAN);
        writer.begin(page.position(4));
        frames.accept(writer);
        int length = writer.finish(dataCredits, controlCredits);
        out.write(page.putInt(0, length).array(), 0, 4 + length);
    }

    /** One page with a PING, byte by byte, with a pause after each. */
    void dribble(long value, Duration pause) throws IOException, InterruptedException {
        ByteBuffer page = ByteBuffer.allocate(4 + PAGE).order(ByteOrder.LITTLE_ENDIAN);
        writer.begin(page.position(4));
        writer.ping(value);
        int length = writer.finish(0, 0);
        byte[] bytes = page.putInt(0, length).array();
        for (int i = 0; i < 4 + length; i++) {
            out.write(bytes[i]);
            Thread.sleep(pause); // as a slow link does
        }
    }

    /** The next frame, such as {@code COMPLETE 1 2}: what, of which stream, and a number: of a message, its bytes. */
    String next() throws IOException {
        while (heard.isEmpty()) {
            byte[] page = new byte[Integer.reverseBytes(in.readInt())];
            in.readFully(page);
            try {
                reader.begin(ByteBuffer.wrap(page));
                while (reader.next()) {
                    heard.add(switch (reader.type()) {
                        case DATA -> "DATA " + reader.stream() + " " + reader.payloadLength();
                        case ERROR -> "ERROR " + reader.stream() + " " + reader.value() + " " + reader.text();
                        case PING, PONG -> reader.type() + " " + reader.value();
                        default -> reader.type() + " " + reader.stream() + " " + reader.value();
                    });
                }
            } catch (ProtocolException e) {
                throw new AssertionError(e);
            }
        }
        return heard.remove();
    }

    /** The next frame that is wanted; others are left out. */
    String next(Predicate<String> wanted) throws IOException {
        String frame = next();
        while (!wanted.test(frame)) {
            frame = next();
        }
        return frame;
    }

    boolean isClosed() throws IOException {
        try {
            next(frame -> false);
            return false;
        } catch (EOFException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
