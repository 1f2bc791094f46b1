// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Passes the bytes of TCP connections on, until it is told to stand still or to break them. Its threads are virtual ones. Any
 * thread.
 */
final class Relay implements AutoCloseable {
    private static final int CHUNK = 64 * 1024;
    private static final int BACKLOG = 128;
    private static final long PAUSE_NANOS = 1_000_000;

    /** Lets bytes pass, or does not. */
    private static final class Gate {
        private boolean held;

        synchronized void set(boolean hold) {
            held = hold;
            notifyAll();
        }

        synchronized void pass() throws InterruptedException {
            while (held) {
                wait();
            }
        }
    }

    /** One connection: a socket to the client and one to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server;
        private int ways = 2;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        Socket socket(PairSide side) {
            return side == PairSide.SERVER ? server : client;
        }

        /** Passes on what {@code from} sends, until it ends. */
        void pump(PairSide from) {
            byte[] bytes = new byte[CHUNK];
            Socket source = socket(from);
            Socket sink = socket(other(from));
            try {
                InputStream in = source.getInputStream();
                OutputStream out = sink.getOutputStream();
                int read;
                while ((read = in.read(bytes)) >= 0) {
                    gate(from).pass();
                    out.write(bytes, 0, read);
                }
                gate(from).pass();
                sink.shutdownOutput();
            } catch (IOException e) {
                end(sink.isClosed() || source.isClosed());
            } catch (InterruptedException e) {
                end(true);
            }
            synchronized (this) {
                if (--ways == 0 && links.contains(this)) {
                    end(true);
                }
            }
        }

        /** An end that broke breaks the other; one that this relay has closed does not. */
        private void end(boolean orderly) {
            if (links.remove(this)) {
                close(client, !orderly);
                close(server, !orderly);
            }
        }
    }

    private final ServerSocket listener;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    /** Ends of broken connections that were not told. */
    private final Set<Socket> untold = ConcurrentHashMap.newKeySet();
    private final Map<PairSide, Gate> gates = new EnumMap<>(Map.of(PairSide.SERVER, new Gate(), PairSide.CLIENT, new Gate()));
    private volatile @Nullable InetSocketAddress target;

    Relay() {
        try {
            listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("no socket for the relay of a pair", e);
        }
    }

    /** Passes connections on to {@code server} from now on. Returns the port to connect to. */
    int leadTo(InetSocketAddress server) {
        target = server;
        Thread.ofVirtual().start(this::accept);
        return listener.getLocalPort();
    }

    private void accept() {
        InetSocketAddress to = Objects.requireNonNull(target);
        while (!listener.isClosed()) {
            try {
                open(listener.accept(), to);
            } catch (IOException e) {
                LockSupport.parkNanos(PAUSE_NANOS); // it is closed, or there are no descriptors
            }
        }
    }

    private void open(Socket client, InetSocketAddress to) {
        Socket server = new Socket();
        try {
            server.connect(to);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException nobodyListens) {
            close(client, true);
            close(server, true);
            return;
        }
        Link link = new Link(client, server);
        links.add(link);
        if (listener.isClosed()) {
            link.end(true);
            return;
        }
        Thread.ofVirtual().start(() -> link.pump(PairSide.CLIENT));
        Thread.ofVirtual().start(() -> link.pump(PairSide.SERVER));
    }

    private static PairSide other(PairSide side) {
        return side == PairSide.SERVER ? PairSide.CLIENT : PairSide.SERVER;
    }

    private Gate gate(PairSide from) {
        return Objects.requireNonNull(gates.get(from));
    }

    void hold(PairSide from) {
        gate(from).set(true);
    }

    void resume() {
        gates.values().forEach(gate -> gate.set(false));
    }

    /** Breaks all connections; {@code told} notices, or both do. */
    void disconnect(@Nullable PairSide told) {
        for (Link link : List.copyOf(links)) {
            if (links.remove(link)) {
                for (PairSide side : PairSide.values()) {
                    if (told == null || told == side) {
                        close(link.socket(side), true);
                    } else {
                        untold.add(link.socket(side));
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        resume();
        List.copyOf(links).forEach(link -> link.end(true));
        untold.forEach(socket -> close(socket, true));
    }

    /** {@code reset}: the peer is told that it broke. */
    private static void close(Socket socket, boolean reset) {
        try {
            if (reset) {
                socket.setSoLinger(true, 0);
            }
            socket.close();
        } catch (IOException e) {
            // it was broken already
        }
    }
}
