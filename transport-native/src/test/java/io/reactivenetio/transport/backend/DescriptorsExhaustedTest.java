// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that runs out of file descriptors, a JVM of its own. */
@Timeout(120)
class DescriptorsExhaustedTest {
    private static final int LIMIT = 100;

    private static ChildJvm child(Class<?> main, String... arguments) throws IOException {
        return new ChildJvm("ulimit -n " + LIMIT, "-Xmx64m -XX:-MaxFDLimit", main, arguments);
    }

    /** Connects more than the child can accept, which the kernel takes all: how many it has accepted, and its turns in 500 ms. */
    private static String[] flood(ChildJvm child, int port, List<Socket> sockets) throws Exception {
        child.say("ready?");
        assertThat(child.hear()).isEqualTo("ready");
        for (int i = 0; i < LIMIT; i++) {
            sockets.add(new Socket("127.0.0.1", port));
        }
        child.say("measure");
        return child.hear().split(" ");
    }

    private static void close(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    @Test
    void shouldNeitherSpinNorGiveUpListening() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (ChildJvm child = child(Listening.class, "TCP")) {
            int port = Integer.parseInt(child.hear());
            String[] measured = flood(child, port, sockets);
            assertThat(Integer.parseInt(measured[0])).as("accepted").isBetween(1, LIMIT - 1);
            assertThat(Long.parseLong(measured[1])).as("turns in 500 ms").isLessThan(100);
            close(sockets);
            sockets.add(new Socket("127.0.0.1", port));
            child.say("wait");
            assertThat(child.hear()).isEqualTo("all accepted");
        } finally {
            close(sockets);
        }
    }

    /** libfabric accepts, and goes on trying; a socket that says nothing is no connection to it. */
    @Test
    void shouldNotSpinWithLibfabricEither() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (ChildJvm child = child(Listening.class, "LIBFABRIC")) {
            String[] measured = flood(child, Integer.parseInt(child.hear()), sockets);
            assertThat(Long.parseLong(measured[1])).as("turns in 500 ms").isLessThan(2_000);
        } finally {
            close(sockets);
        }
    }

    /** Whatever is the first thing that there is no descriptor for. */
    @Test
    void shouldLeaveNothingOpenOfWhatCouldNotBeOpened() throws Exception {
        for (BackendType type : List.of(BackendType.LIBFABRIC, BackendType.TCP)) {
            try (ChildJvm child = child(Opening.class, type.name())) {
                assertThat(child.hear()).as("%s", type).isEqualTo("nothing left open");
            }
        }
    }

    private static BackendCallbacks callbacks(AtomicInteger established, AtomicInteger refused) {
        return new BackendCallbacks() {
            @Override
            public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
                established.incrementAndGet();
            }

            @Override
            public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
                refused.incrementAndGet();
            }
        };
    }

    /** A child. */
    static final class Listening {
        private Listening() {
        }

        public static void main(String[] arguments) throws IOException, InterruptedException {
            AtomicInteger established = new AtomicInteger();
            EventLoop loop = EventLoop.create("server");
            NetworkBackend backend = NetworkBackend.create(BackendType.valueOf(arguments[0]), BackendConfig.defaults(), loop,
                    callbacks(established, new AtomicInteger()));
            loop.start();
            ListenEndpoint listener = backend.openListenEndpoint(new InetSocketAddress("127.0.0.1", 0),
                    new ConnectionParameters(16, 1, 16, 1), null);
            measure(established, loop, 1); // loads classes, for which there may be no descriptor later
            System.out.println(Addresses.port(listener.localAddress()));
            ChildJvm.listen();
            System.out.println("ready");
            ChildJvm.listen(); // the connections are there
            while (arguments[0].equals("TCP") && established.get() == 0) {
                pause(10);
            }
            pause(500);
            System.out.println(measure(established, loop, 500));
            ChildJvm.listen(); // they are closed again, and one is new
            while (established.get() <= LIMIT) {
                pause(10);
            }
            System.out.println("all accepted");
        }

        /** Waits: no class beyond the JDK's may be loaded for it, for which there may be no descriptor. */
        private static void pause(int millis) throws InterruptedException {
            Thread.sleep(millis);
        }

        /** How many are accepted, and the turns in 500 ms: a busy machine may take longer over the time. */
        private static String measure(AtomicInteger established, EventLoop loop, int millis) throws InterruptedException {
            int accepted = established.get();
            long turns = loop.statistics().turns();
            long began = System.nanoTime();
            pause(millis);
            return accepted + " " + (loop.statistics().turns() - turns) * 500_000_000 / (System.nanoTime() - began);
        }
    }

    /** A child whose backends listen, and connect to nobody, with ever more descriptors. */
    static final class Opening {
        private static final int MOST = 32;
        private static final long SETTLED_NANOS = 10_000_000_000L;
        private static final ConnectionParameters SMALL = new ConnectionParameters(16, 1, 16, 1);

        private final AtomicInteger refused = new AtomicInteger();
        private final EventLoop loop = EventLoop.create("opening");
        private final BackendType type;
        private InetSocketAddress address = new InetSocketAddress("127.0.0.1", 0);

        private Opening(BackendType type) {
            this.type = type;
        }

        public static void main(String[] arguments) throws IOException {
            System.out.println(new Opening(BackendType.valueOf(arguments[0])).run());
        }

        /** Not before all classes are loaded, for which there may be no descriptor later. */
        private String run() throws IOException {
            loop.start();
            open(MOST);
            try (ServerSocket other = new ServerSocket(0, 1, address.getAddress())) {
                InetSocketAddress own = address;
                address = (InetSocketAddress) other.getLocalSocketAddress();
                listen(backend());
                address = own;
            }
            open(MOST);
            int before = descriptors();
            for (int spare = 0; spare < MOST; spare++) {
                String first = open(spare);
                int open = settle(before);
                if (open > before) {
                    return open - before + " left open, with " + spare + " to spare, after " + first;
                }
                before = open; // it is less if the first ones had not settled
            }
            return "nothing left open";
        }

        private NetworkBackend backend() {
            return NetworkBackend.create(type, BackendConfig.defaults().withConnectTimeout(Duration.ofSeconds(1)), loop,
                    callbacks(new AtomicInteger(), refused));
        }

        /** With {@code spare} descriptors. What came of listening. */
        private String open(int spare) {
            NetworkBackend backend = backend();
            Deque<Integer> taken = new ArrayDeque<>();
            for (int fd = LibC.eventfd(0, 0); fd >= 0; fd = LibC.eventfd(0, 0)) {
                taken.push(fd);
            }
            for (int i = 0; i < spare; i++) {
                LibC.close(taken.pop());
            }
            String first = listen(backend);
            int told = refused.get();
            on(() -> backend.openActiveEndpoint(address.getPort() == 0 ? new InetSocketAddress("127.0.0.1", 1) : address, SMALL));
            while (refused.get() == told) {
                Thread.onSpinWait();
            }
            taken.forEach(LibC::close);
            on(() -> {
                backend.close();
                return true;
            });
            on(() -> true); // it closed at the end of that turn
            return first;
        }

        private String listen(NetworkBackend backend) {
            return on(() -> {
                try {
                    ListenEndpoint listener = backend.openListenEndpoint(address, SMALL, null);
                    address = Addresses.inet(listener.localAddress());
                    backend.closeListenEndpoint(listener);
                    return "listening";
                } catch (NetioException e) {
                    return e.toString();
                }
            });
        }

        private <T> T on(Supplier<T> code) {
            return CompletableFuture.supplyAsync(code, loop).orTimeout(20, TimeUnit.SECONDS).join();
        }

        /** What a refused connection had may be closed in a later turn. */
        private static int settle(int before) {
            long since = System.nanoTime();
            int open = descriptors();
            while (open > before && System.nanoTime() - since < SETTLED_NANOS) {
                Thread.onSpinWait();
                open = descriptors();
            }
            return open;
        }

        private static int descriptors() {
            return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
        }
    }
}
