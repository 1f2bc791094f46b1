// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A connection over a plain socket, on which the kit says what it wants, also what nobody should. */
final class RawLink implements AutoCloseable {
    private static final int MOST = 16 << 20;

    private final End tried;
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private int number;

    private RawLink(End tried, Socket socket, int number) throws IOException {
        this.tried = tried;
        this.socket = socket;
        this.number = number;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) End.LIMIT.toMillis());
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** A socket between the tried end, with these settings, and the kit. */
    static RawLink open(End tried, boolean triedConnects, String settings) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        if (!triedConnects) {
            int port = tried.ask("listen " + settings).number("port");
            return new RawLink(tried, new Socket(here, port), 0);
        }
        try (ServerSocket server = new ServerSocket(0, 1, here)) {
            server.setSoTimeout((int) End.LIMIT.toMillis());
            int c = tried.ask("connect port=" + server.getLocalPort() + " " + settings).number("c");
            return new RawLink(tried, server.accept(), c);
        } catch (SocketTimeoutException e) {
            throw CaseFailedException.because(e);
        }
    }

    /** Says {@code handshake}, and awaits the end's own and its connection. */
    RawLink established(byte[] handshake) throws IOException {
        out.write(handshake);
        readHandshake();
        return established();
    }

    /** Awaits the end's connection, where there is no handshake. */
    RawLink established() {
        number = number == 0 ? tried.event("connected", line -> true).number("c")
                : tried.event("connected", "c", number).number("c");
        return this;
    }

    /** The end's number of this connection. */
    int number() {
        return number;
    }

    End tried() {
        return tried;
    }

    byte[] readHandshake() throws IOException {
        byte[] theirs = in.readNBytes(Pages.HANDSHAKE);
        Bench.check(theirs.length == Pages.HANDSHAKE, "a handshake of 48 bytes was awaited, and " + theirs.length + " came");
        return theirs;
    }

    void write(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    /** Pages, each with its length before it, at once. An end that has closed meanwhile does not mind. */
    void pages(byte[]... pages) {
        int all = 0;
        for (byte[] page : pages) {
            all += Integer.BYTES + page.length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(all).order(ByteOrder.LITTLE_ENDIAN);
        for (byte[] page : pages) {
            bytes.putInt(page.length).put(page);
        }
        try {
            out.write(bytes.array());
        } catch (IOException e) {
            // it closes: who reads finds out
        }
    }

    byte[] page() throws IOException {
        int length = Integer.reverseBytes(in.readInt());
        Bench.check(length >= 0 && length <= MOST, "a page of " + Integer.toUnsignedLong(length) + " bytes came");
        byte[] page = new byte[length];
        in.readFully(page);
        return page;
    }

    /** Reads until the end closes the connection. */
    void awaitClose(String because) throws IOException {
        try {
            long until = System.nanoTime() + End.LIMIT.toNanos();
            while (in.skip(MOST) > 0 || in.read() >= 0) {
                Bench.check(System.nanoTime() - until < 0, "the connection should have ended: " + because);
            }
        } catch (SocketTimeoutException e) {
            throw new CaseFailedException("the connection should have ended: " + because);
        } catch (SocketException | EOFException e) {
            // reset: it has ended
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
