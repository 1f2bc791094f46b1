// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.examples.conformance.Line;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Many connections and tags of one server: all are served, none is left out when it dies, and idle ones cost little. */
final class Many implements Campaign {
    private static final int TAGS_EACH = 10;
    private static final int CLIENTS = 2;
    private static final int OF_TCP = 10_000;
    private static final int LEAST_OF_TCP = 600;
    private static final int OF_LIBFABRIC = 1_000;
    private static final int LEAST_OF_LIBFABRIC = 60;
    /** What a connection over libfabric's tcp has. */
    private static final int DESCRIPTORS_OF_LIBFABRIC = 4;
    private static final int OTHER_DESCRIPTORS = 200;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration BACK = Duration.ofSeconds(10);
    private static final Duration GONE = Duration.ofSeconds(20);
    private static final double MORE = 1.2;
    private static final long OTHER_BYTES = 16 << 10;
    private static final long KILO = 1 << 10;
    /** The part of a core that a thousand idle connections of a process may take, with the usual keep-alive. */
    private static final double IDLE_PERCENT = 2;
    private static final double IDLE_PERCENT_OF_LIBFABRIC = 10;
    /** How many times as much a process may take that is not warm. */
    private static final double COLD = 20;
    private static final double THOUSAND = 1_000;
    /** What libfabric's tcp has for a connection beside its buffers. */
    private static final long OF_LIBFABRIC_BYTES = 256 << 10;
    /** What a process takes while it warms up, whatever its connections do. */
    private static final long WARM_UP_BYTES = 64 << 20;
    private static final int BUSY_PER_SECOND = 100;
    private static final int BUSY_ONE_IN = 100;
    private static final double LEAST_RATE = 0.5;

    @Override
    public String name() {
        return "many";
    }

    @Override
    public String about() {
        return "10,000 connections and 100,000 tags of one server: opened, idle, a few busy, the server killed, closed";
    }

    @Override
    public double share() {
        return 3;
    }

    @Override
    public Map<String, Role> roles() {
        return Map.of("many-server", ManyRoles::serve, "many-client", ManyRoles::read);
    }

    @Override
    public void run(Ground ground) throws Exception {
        run(ground, BackendType.TCP, ground.count(OF_TCP, LEAST_OF_TCP), 1);
        run(ground, BackendType.LIBFABRIC, ground.count(OF_LIBFABRIC, LEAST_OF_LIBFABRIC), DESCRIPTORS_OF_LIBFABRIC);
    }

    static void run(Ground ground, BackendType backend, int wanted, int descriptors) throws Exception {
        int most = (descriptorLimit() - OTHER_DESCRIPTORS) / descriptors / CLIENTS * CLIENTS;
        if (most < wanted) {
            ground.check(wanted + " connections, " + backend, "as many as the limit of descriptors (ulimit -Hn) allows",
                    "not tried: " + (wanted - most) + " of them", true);
        }
        new Run(ground, backend, Math.min(most, wanted / CLIENTS * CLIENTS)).all();
    }

    private static int descriptorLimit() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/limits"))) {
            String line = lines.filter(each -> each.startsWith("Max open files")).findFirst().orElseThrow();
            String hard = line.split("\\s+", -1)[4];
            return hard.equals("unlimited") ? Integer.MAX_VALUE : Integer.parseInt(hard);
        }
    }

    /** One number of connections over one backend. */
    private static final class Run {
        private final Ground ground;
        private final BackendType backend;
        private final int connections;
        private final List<Worker> clients = new ArrayList<>();
        private Worker server;
        private int port;
        private long openedMillis;

        Run(Ground ground, BackendType backend, int connections) throws InterruptedException {
            this.ground = ground;
            this.backend = backend;
            this.connections = connections;
            server = serve(0);
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(ground.start("many-client", backend, port, connections / CLIENTS * i, connections / CLIENTS,
                        TAGS_EACH));
            }
            for (Worker client : clients) {
                client.await("ready", LIMIT);
            }
        }

        private Worker serve(int at) throws InterruptedException {
            Worker started = ground.start("many-server", backend, at, connections * TAGS_EACH);
            port = started.await("ready", LIMIT).number("port");
            return started;
        }

        void all() throws InterruptedException {
            open();
            idle();
            storm();
            more();
            busy();
            close();
        }

        private Line count() throws InterruptedException {
            server.tell("count");
            Line line = server.await("count", LIMIT);
            ground.progress(backend + ": " + line.longNumber("connections") + " of " + connections + " connections, "
                    + line.longNumber("tags") + " tags");
            return line;
        }

        /** Waits for so many connections and tags. Returns after how many milliseconds they are there, or -1. */
        private long await(int wanted, int tags, Duration limit) throws InterruptedException {
            long start = System.nanoTime();
            Line line;
            do {
                TimeUnit.MILLISECONDS.sleep(20);
                line = count();
                if (System.nanoTime() - start > limit.toNanos()) {
                    return -1;
                }
            } while (line.longNumber("connections") != wanted || line.longNumber("tags") != tags);
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        }

        private void tell(String word) {
            clients.forEach(client -> client.tell(word));
        }

        private void open() throws InterruptedException {
            ProcessFacts before = server.facts();
            ProcessFacts clientBefore = clients.getFirst().facts();
            tell("open");
            long millis = await(connections, connections, LIMIT);
            openedMillis = millis;
            ProcessFacts after = server.facts();
            ProcessFacts clientAfter = clients.getFirst().facts();
            long more = backend == BackendType.LIBFABRIC ? OF_LIBFABRIC_BYTES : OTHER_BYTES;
            long most = (long) (MORE * ManyRoles.OWN_BYTES) + more;
            long there = (after.rss() - before.rss()) / connections;
            long here = (clientAfter.rss() - clientBefore.rss()) / (connections / CLIENTS);
            ground.check(connections + " connections opened, " + backend,
                    "all are there within " + LIMIT.toMinutes() + " min; each is at most " + most / KILO
                            + " KiB, 1.2 of its buffers and " + more / KILO + " KiB; and " + WARM_UP_BYTES / KILO / KILO
                            + " MiB a process",
                    String.format(Locale.ROOT, "after %,d ms; %d KiB at the server, %d KiB of them heap, %d at a client, %d heap",
                            millis, there / KILO, (after.heap() - before.heap()) / connections / KILO, here / KILO,
                            (clientAfter.heap() - clientBefore.heap()) / (connections / CLIENTS) / KILO),
                    millis >= 0 && there <= most + WARM_UP_BYTES / connections
                            && here <= most + WARM_UP_BYTES * CLIENTS / connections);
        }

        private void more() throws InterruptedException {
            ProcessFacts before = server.facts();
            int tags = connections * TAGS_EACH;
            tell("more");
            long millis = await(connections, tags, LIMIT);
            ProcessFacts after = server.facts();
            ground.check(tags + " tags subscribed to, " + backend, "all are there within " + LIMIT.toMinutes() + " min",
                    String.format(Locale.ROOT, "after %,d ms; %,d bytes of heap for each", millis,
                            (after.heap() - before.heap()) / (tags - connections)),
                    millis >= 0);
        }

        private void idle() throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(ground.time().toNanos() / 20); // until what has come is over, and compiled
            long time = Math.max(TimeUnit.SECONDS.toNanos(2), ground.time().toNanos() / 20);
            long start = System.nanoTime();
            long serverBefore = server.cpuNanos();
            long clientBefore = clients.getFirst().cpuNanos();
            TimeUnit.NANOSECONDS.sleep(time);
            double percentOfNano = 100.0 / (System.nanoTime() - start);
            double there = (server.cpuNanos() - serverBefore) * percentOfNano;
            double here = (clients.getFirst().cpuNanos() - clientBefore) * percentOfNano;
            double percent = backend == BackendType.LIBFABRIC ? IDLE_PERCENT_OF_LIBFABRIC : IDLE_PERCENT;
            double most = percent * Math.max(1, connections / THOUSAND) * (ground.isShort() ? COLD : 1);
            ground.check(connections + " connections idle, " + backend,
                    "less than " + most + " % of a core in each process",
                    String.format(Locale.ROOT, "server %.2f %%, a client %.2f %%", there, here),
                    there < most && here < most);
        }

        private long[] messages() throws InterruptedException {
            long[] sum = new long[2];
            for (Worker client : clients) {
                client.tell("count");
                Line line = client.await("count", LIMIT);
                sum[0] += line.longNumber("messages");
                sum[1] += line.longNumber("faults");
            }
            return sum;
        }

        private void busy() throws InterruptedException {
            long[] before = messages();
            server.tell("busy");
            long time = Math.max(TimeUnit.SECONDS.toNanos(2), ground.time().toNanos() / 20);
            long start = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(time);
            server.tell("idle");
            double seconds = (System.nanoTime() - start) / 1e9;
            TimeUnit.MILLISECONDS.sleep(500); // what is under way
            long[] after = messages();
            int tags = connections * TAGS_EACH / BUSY_ONE_IN;
            double rate = (after[0] - before[0]) / seconds;
            ground.check("1 % of tags busy, " + tags + " tags, " + backend, "each message in order; at least "
                    + LEAST_RATE + " of " + BUSY_PER_SECOND + " a second and tag",
                    String.format(Locale.ROOT, "%,.0f messages/s; %d faults", rate, after[1] - before[1]),
                    rate >= LEAST_RATE * BUSY_PER_SECOND * tags && after[1] == before[1]);
        }

        private void storm() throws InterruptedException {
            server.close();
            server = serve(port);
            long millis = await(connections, connections, LIMIT);
            long most = Math.max(BACK.toMillis(), (long) (MORE * openedMillis)); // what a slower machine can do at all
            ground.check("the server of " + connections + " connections killed, " + backend,
                    "all are back within " + BACK.toSeconds() + " s of its return, or 1.2 of what opening them took",
                    millis < 0 ? "not within " + LIMIT.toSeconds() + " s: " + count() : millis + " ms",
                    millis >= 0 && millis <= most);
        }

        private void close() throws InterruptedException {
            tell("close");
            for (Worker client : clients) {
                client.await("closed", LIMIT);
            }
            long millis = await(0, 0, LIMIT);
            int left = server.facts().descriptors();
            long[] messages = messages();
            ground.check("all connections closed, " + backend, "all are gone within " + GONE.toSeconds() + " s; no fault at all",
                    millis + " ms; " + left + " descriptors left; " + messages[1] + " faults of " + messages[0] + " messages",
                    millis >= 0 && millis <= GONE.toMillis() && left < OTHER_DESCRIPTORS && messages[1] == 0);
            clients.forEach(Worker::close);
            server.close();
        }
    }
}
