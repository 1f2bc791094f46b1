// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.examples.conformance.Line;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Publishers and subscribers that are killed, or stand still, while the others go on. */
final class Deaths implements Campaign {
    private static final int KILLS = 50;
    private static final int PAIRS = 5;
    private static final int LONGEST_LIFE_MILLIS = 300;
    /** How soon half of the next runs have to come, and how soon all. */
    private static final long BACK_MILLIS = 1_000;
    private static final long ALL_BACK_MILLIS = 5_000;
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** How soon a subscriber of a new process has its first messages. */
    private static final long FIRST_MILLIS = 10_000;
    private static final Duration HOME = Duration.ofSeconds(5);
    private static final String GO_ON = "each stream goes on, in order, or tells what is missing";
    private static final String SOON = "half are back within 1 s of the start, all within 5 s";

    /** What all subscribers of a publisher have seen. */
    private static final class Sum {
        private final List<String> wrong = new ArrayList<>();
        private int subscribers;
        private long arrived;
        private long missing;

        void add(long messages, long told, boolean holds, String text) {
            subscribers++;
            arrived += messages;
            missing += told;
            if (!holds) {
                wrong.add(text);
            }
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%d subscribers: %,d messages, %,d told as missing; wrong %s", subscribers, arrived,
                    missing, wrong);
        }
    }

    @Override
    public String name() {
        return "deaths";
    }

    @Override
    public String about() {
        return "publishers and subscribers that are killed (kill -9) or stand still (SIGSTOP) at random moments";
    }

    @Override
    public double share() {
        return 6;
    }

    @Override
    public Map<String, Role> roles() {
        return Map.of("publisher", DyingRoles::publish, "subscriber", DyingRoles::subscribe);
    }

    @Override
    public void run(Ground ground) throws Exception {
        for (BackendType backend : List.of(BackendType.TCP, BackendType.LIBFABRIC)) {
            run(ground, backend);
        }
    }

    static void run(Ground ground, BackendType backend) throws Exception {
        int pairs = ground.count(PAIRS, 2);
        publishersDie(ground, backend, pairs);
        subscribersDie(ground, backend, pairs);
    }

    private static void publishersDie(Ground ground, BackendType backend, int pairs) throws Exception {
        ProcessFacts before = ProcessFacts.ofThisProcess();
        NetioLoops loops = NetioLoops.create("soak-deaths", 1);
        List<Worker> workers = new ArrayList<>();
        List<Reading> readings = new ArrayList<>();
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            Worker worker = ground.start("publisher", backend, 0);
            int port = worker.await("ready", LIMIT).number("port");
            workers.add(worker);
            ports.add(port);
            readings.add(new Reading(DyingRoles.subscriber(NetioClient.create().host("127.0.0.1").port(port).backend(backend)
                    .runOn(loops)).subscribeSequenced(DyingRoles.SHARED)));
        }
        int kills = ground.count(KILLS, 3);
        List<Long> waits = new ArrayList<>();
        boolean allBack = true;
        for (Reading reading : readings) {
            allBack &= reading.await(1, 0, LIMIT);
        }
        Standstills standstills = new Standstills(ground, "publishers, " + backend, workers.subList(1, pairs));
        Reading victim = readings.getFirst();
        for (int i = 0; i < kills && allBack; i++) {
            ground.progress(backend + ": " + i + " of " + kills + " publishers killed, " + standstills);
            TimeUnit.MILLISECONDS.sleep(ground.random().nextInt(LONGEST_LIFE_MILLIS)); // publishes meanwhile
            workers.getFirst().close();
            Worker next = ground.start("publisher", backend, ports.getFirst());
            workers.set(0, next);
            next.await("ready", LIMIT);
            long start = System.nanoTime();
            allBack = victim.await(i + 2, victim.arrived(), LIMIT);
            waits.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        }
        ground.check(kills + " publishers killed, " + backend, "each message in order, or told as missing; " + SOON,
                victim.text() + "; " + text(waits),
                allBack && soon(waits) && victim.holds() && victim.runs() == kills + 1);
        String injected = standstills.end();
        Sum sum = new Sum();
        for (Reading reading : readings) {
            boolean goesOn = reading.await(1, reading.arrived(), LIMIT);
            sum.add(reading.arrived(), reading.missing(), goesOn && reading.holds(), reading.text());
        }
        ground.check(injected, GO_ON, sum.toString(), sum.wrong.isEmpty());
        readings.forEach(Reading::dispose);
        loops.dispose();
        workers.forEach(Worker::close);
        home(ground, "subscribers", backend, before, () -> true);
    }

    private static void subscribersDie(Ground ground, BackendType backend, int pairs) throws Exception {
        ProcessFacts before = ProcessFacts.ofThisProcess();
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        NetioPublisher publisher = DyingRoles.publisher().publishEach(DyingRoles.OWN, tag -> DyingRoles.numbers()
                .doOnSubscribe(subscription -> begun.incrementAndGet()).doFinally(signal -> ended.incrementAndGet()));
        NetioLoops loops = NetioLoops.create("soak-deaths", 1);
        DisposableServer server = publisher.serve(DyingRoles.server(backend, 0).runOn(loops)).bindNow();
        List<Worker> others = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            others.add(ground.start("subscriber", backend, server.port()));
            others.getLast().await("first", LIMIT);
        }
        Standstills standstills = new Standstills(ground, "subscribers, " + backend, others);
        int kills = ground.count(KILLS, 3);
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < kills; i++) {
            ground.progress(backend + ": " + i + " of " + kills + " subscribers killed, " + standstills);
            Worker victim = ground.start("subscriber", backend, server.port());
            waits.add(victim.await("first", LIMIT).longNumber("millis"));
            TimeUnit.MILLISECONDS.sleep(ground.random().nextInt(LONGEST_LIFE_MILLIS)); // takes messages meanwhile
            victim.close();
        }
        boolean noticed = Waiting.within(HOME, () -> ended.get() == kills && publisher.statistics().subscribers() == 2 * pairs);
        ground.check(kills + " subscribers killed, " + backend,
                "each source of theirs ends once, within 5 s; each new process has messages within "
                        + FIRST_MILLIS / 1_000 + " s",
                begun.get() + " sources begun, " + ended.get() + " ended, " + publisher.statistics().subscribers()
                        + " subscriptions left of " + 2 * pairs + "; " + text(waits),
                noticed && Collections.max(waits) <= FIRST_MILLIS);
        String injected = standstills.end();
        Sum sum = new Sum();
        for (Worker other : others) {
            other.tell("count");
            Line count = other.await("count", LIMIT.multipliedBy(2));
            sum.add(count.longNumber("arrived"), count.longNumber("missing"), count.get("holds").equals("true"),
                    count.get("text"));
        }
        ground.check(injected, GO_ON, sum.toString(), sum.wrong.isEmpty());
        others.forEach(Worker::close);
        boolean over = Waiting.within(HOME, () -> begun.get() == ended.get() && publisher.statistics().subscribers() == 0);
        server.disposeNow();
        publisher.dispose();
        loops.dispose();
        home(ground, "publisher", backend, before, () -> over);
    }

    private static boolean soon(List<Long> waits) {
        return Samples.median(waits) <= BACK_MILLIS && Collections.max(waits) <= ALL_BACK_MILLIS;
    }

    private static String text(List<Long> waits) {
        return "half within " + Samples.median(waits) + " ms, all within " + Collections.max(waits) + " ms";
    }

    private static void home(Ground ground, String who, BackendType backend, ProcessFacts before, BooleanSupplier over)
            throws InterruptedException {
        boolean back = Waiting.within(HOME, () -> ProcessFacts.ofThisProcess().descriptors() <= before.descriptors());
        ground.check("the end of the " + who + ", " + backend, "no descriptor and no source is left after 5 s",
                before.descriptors() + " descriptors before, " + ProcessFacts.ofThisProcess().descriptors() + " after",
                back && over.getAsBoolean());
    }
}
