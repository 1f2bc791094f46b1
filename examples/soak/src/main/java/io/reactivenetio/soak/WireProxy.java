// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Passes the bytes of TCP connections on, and does to them what a fault does. Each direction of a connection has a thread. */
final class WireProxy implements AutoCloseable {
    /** At which byte at the latest a connection meets its fault, in either direction. */
    private static final int LATEST = 200_000;
    /** The same towards the server, which is sent less. */
    private static final int LATEST_THERE = 1_000;
    private static final int CHUNK = 4_096;
    private static final int REORDERED = 4;
    private static final int SHORTEST_DELAY_MILLIS = 10;
    private static final int LONGEST_DELAY_MILLIS = 500;

    private final ServerSocket listener;
    private final int target;
    private final WireFault fault;
    private final Random random;
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());

    /** Listens at a port of its own for what is meant for {@code target}. */
    WireProxy(int target, WireFault fault, long seed) throws IOException {
        this.target = target;
        this.fault = fault;
        random = new Random(seed);
        listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        List<Socket> waiting = new ArrayList<>();
        try {
            while (true) {
                waiting.add(listener.accept());
                if (fault != WireFault.REORDER || waiting.size() == REORDERED) {
                    for (Socket near : waiting.reversed()) {
                        connect(near);
                    }
                    waiting.clear();
                }
            }
        } catch (IOException e) {
            close(); // it is over
        }
    }

    /** Bytes, one per character, and when they are due. */
    private record Late(String bytes, long due) {
    }

    private void connect(Socket near) throws IOException {
        Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
        for (Socket socket : List.of(near, far)) {
            socket.setTcpNoDelay(true);
            sockets.add(socket);
        }
        boolean there = random.nextBoolean(); // the direction that meets the fault
        int at = random.nextInt(there ? LATEST_THERE : LATEST);
        Connection connection = new Connection(near, far, new Random(random.nextLong()));
        Thread.ofVirtual().start(() -> connection.pump(near, far, there ? at : Long.MAX_VALUE));
        Thread.ofVirtual().start(() -> connection.pump(far, near, there ? Long.MAX_VALUE : at));
    }

    /** Two sockets, and what happens between them. */
    private final class Connection {
        private final Socket near;
        private final Socket far;
        private final Random chance;
        private volatile boolean dead;

        Connection(Socket near, Socket far, Random chance) {
            this.near = near;
            this.far = far;
            this.chance = chance;
        }

        void pump(Socket from, Socket to, long at) {
            byte[] bytes = new byte[CHUNK];
            long passed = 0;
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                if (fault == WireFault.DELAY) {
                    delay(in, to);
                    return;
                }
                for (int n; (n = in.read(bytes)) > 0 && !dead; passed += n) {
                    if (!fault.completes() && fault.corruptsOneIn() == 0 && passed + n > at) {
                        out.write(bytes, 0, (int) (at - passed));
                        broken(to);
                        return;
                    }
                    pass(bytes, n, out);
                }
                if (!dead) {
                    to.shutdownOutput();
                }
            } catch (IOException e) {
                end();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Passes on what comes, in order, each part of it at a time of its own. */
        private void delay(InputStream in, Socket to) throws IOException, InterruptedException {
            BlockingQueue<Late> queue = new LinkedBlockingQueue<>();
            Thread.ofVirtual().start(() -> passLater(queue, to));
            byte[] bytes = new byte[CHUNK];
            int n;
            do {
                n = in.read(bytes);
                long delay = TimeUnit.MILLISECONDS.toNanos(chance.nextInt(SHORTEST_DELAY_MILLIS, LONGEST_DELAY_MILLIS));
                queue.put(new Late(new String(bytes, 0, Math.max(n, 0), StandardCharsets.ISO_8859_1),
                        System.nanoTime() + delay));
            } while (n > 0);
        }

        private void passLater(BlockingQueue<Late> queue, Socket to) {
            try {
                OutputStream out = to.getOutputStream();
                for (Late next = queue.take(); !next.bytes.isEmpty(); next = queue.take()) {
                    TimeUnit.NANOSECONDS.sleep(next.due - System.nanoTime());
                    out.write(next.bytes.getBytes(StandardCharsets.ISO_8859_1));
                }
                to.shutdownOutput();
            } catch (IOException e) {
                end();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void pass(byte[] bytes, int n, OutputStream out) throws IOException {
            if (fault == WireFault.ONE_BYTE) {
                for (int i = 0; i < n; i++) {
                    out.write(bytes, i, 1);
                }
                return;
            }
            if (fault.corruptsOneIn() > 0) {
                for (int i = 0; i < n; i++) {
                    bytes[i] ^= chance.nextInt(fault.corruptsOneIn()) == 0 ? (byte) chance.nextInt(1, 256) : 0;
                }
            }
            out.write(bytes, 0, n);
        }

        private void broken(Socket to) throws IOException {
            switch (fault) {
                case RESET -> {
                    near.setSoLinger(true, 0);
                    far.setSoLinger(true, 0);
                    end();
                }
                case HALF_CLOSE -> to.shutdownOutput(); // and the other direction goes on
                default -> dead = true; // in both directions
            }
        }

        private void end() {
            close(near);
            close(far);
        }
    }

    private static void close(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            // it is closed as far as it can be
        }
    }

    /** Ends all connections, and takes no more. */
    @Override
    public void close() {
        close(listener);
        synchronized (sockets) {
            sockets.forEach(WireProxy::close);
        }
    }
}
