// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.examples.conformance.Line;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Peers that break the rules, or do too much of what is allowed, while others are served. */
final class Liars implements Campaign {
    private static final int GOOD = 10;
    private static final double KEPT = 0.9;
    private static final double KEPT_IN_A_SHORT_RUN = 0.5;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration HOME = Duration.ofSeconds(5);
    private static final Duration HOME_IN_A_SHORT_RUN = Duration.ofSeconds(30);
    /** The log has 60 warnings of one kind in a minute at most, but a turn that takes long comes with a stack trace. */
    private static final int LINES_PER_MINUTE = 1_000;
    /** The first lie takes so many times as long as each other: of it there shall be most. */
    private static final int LONGER = 2;
    private static final Duration WARM_UP = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "liars";
    }

    @Override
    public String about() {
        return "peers that send malformed pages, stop in a handshake, flood, or lie about credits, beside ten good ones";
    }

    @Override
    public double share() {
        return 4;
    }

    @Override
    public Map<String, Role> roles() {
        return Map.of("liars-server", LiarsRoles::serve, "liars-good", LiarsRoles::behave, "liars-bad", LiarsRoles::lie);
    }

    @Override
    public void run(Ground ground) throws Exception {
        Duration each = ground.time().dividedBy(Lie.values().length + LONGER);
        run(ground, each.compareTo(WARM_UP) < 0 ? WARM_UP : each, Lie.values());
    }

    static void run(Ground ground, Duration each, Lie... lies) throws InterruptedException {
        Worker server = ground.start("liars-server");
        Line ready = server.await("ready", LIMIT);
        long port = ready.longNumber("port");
        long secured = ready.longNumber("secured");
        Worker good = ground.start("liars-good", port, secured, ready.get("certificate"), GOOD);
        good.await("ready", LIMIT);
        TimeUnit.NANOSECONDS.sleep(WARM_UP.toNanos());
        double before = rate(good, each.compareTo(WARM_UP) > 0 ? HOME : each);
        int descriptors = server.facts().descriptors();
        double kept = ground.isShort() ? KEPT_IN_A_SHORT_RUN : KEPT;
        Duration limit = ground.isShort() ? HOME_IN_A_SHORT_RUN : HOME;
        for (Lie lie : lies) {
            Duration time = lie == Lie.MALFORMED ? each.multipliedBy(LONGER) : each;
            ground.progress(lie.toString());
            long complaints = server.complaints();
            Worker bad = ground.start("liars-bad", lie.isForTls() ? secured : port, lie.name(), time.toMillis(),
                    ground.random().nextLong());
            long start = System.nanoTime();
            double during = rate(good, time);
            long told = bad.await("told", LIMIT).longNumber("number");
            double minutes = (System.nanoTime() - start) / 60e9;
            long lines = server.complaints() - complaints;
            bad.close();
            boolean home = Waiting.within(limit, () -> connections(server) == GOOD && facts(server).descriptors() <= descriptors);
            good.tell("count");
            Line count = good.await("count", LIMIT);
            ground.check(String.format(Locale.ROOT, "%,d %s", told, lie),
                    "ten good peers keep " + kept + " of their rate, and all their messages; at most " + LINES_PER_MINUTE
                            + " lines of log a minute; nothing is left after " + limit.toSeconds() + " s",
                    String.format(Locale.ROOT, "%,.0f messages/s, %.2f of before; %d lines; %s", during, during / before, lines,
                            count.get("text")) + (home ? "" : "; " + connections(server)
                            + " connections and " + facts(server).descriptors() + " descriptors, not " + GOOD + " and "
                            + descriptors),
                    during >= kept * before && count.longNumber("faults") == 0 && home
                            && lines <= LINES_PER_MINUTE * Math.max(1, minutes) && server.isAlive());
        }
        good.close();
        server.close();
    }

    private static double rate(Worker good, Duration time) throws InterruptedException {
        good.tell("count");
        long before = good.await("count", LIMIT).longNumber("messages");
        long start = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        good.tell("count");
        long after = good.await("count", LIMIT).longNumber("messages");
        return (after - before) * 1e9 / (System.nanoTime() - start);
    }

    private static ProcessFacts facts(Worker worker) {
        try {
            return worker.facts();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long connections(Worker server) {
        try {
            server.tell("count");
            return server.await("count", LIMIT).longNumber("connections");
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
