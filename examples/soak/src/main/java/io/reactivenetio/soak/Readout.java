// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioLoops;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** A readout of hundreds of servers and thousands of links, in the simulated network and on a virtual clock. */
final class Readout implements Campaign {
    private static final int HOURS = 24;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long BURST_PERIOD = 10 * MILLI;
    private static final int BURST_TICKS = 100;
    private static final long DOWN = 5 * SECOND;
    private static final long BACK_LIMIT = 2 * SECOND;
    private static final long DELAY_LIMIT = 10 * MILLI;
    private static final long DIGITS_LIMIT = TimeUnit.HOURS.toNanos(1);
    private static final int MINUTES = 60;
    private static final int RESTART_MINUTE = 10;
    private static final int SLOW_MINUTE = 20;

    private final int racks;
    private final int perRack;
    private final int links;
    private final VirtualCluster cluster = new VirtualCluster();
    private final List<FrontEnd> servers = new ArrayList<>();
    private final List<LinkReader> readers = new ArrayList<>();
    private final Histogram delays = new Histogram(DIGITS_LIMIT, 2);
    private long longestBack;
    private int restarts;
    private boolean allBack = true;

    Readout() {
        this(35, 10, 6_000);
    }

    Readout(int racks, int perRack, int links) {
        this.racks = racks;
        this.perRack = perRack;
        this.links = links;
    }

    @Override
    public String name() {
        return "readout";
    }

    @Override
    public String about() {
        return text("%d servers and %,d links in a simulated network, a virtual day: bursts, racks that die, slow readers",
                racks * perRack, links);
    }

    @Override
    public double share() {
        return 2;
    }

    @Override
    public void run(Ground ground) {
        long began = System.nanoTime();
        build();
        int hours = ground.count(HOURS, 1);
        for (int hour = 0; hour < hours; hour++) {
            hour(ground, hour);
        }
        cluster.advance(SECOND);
        report(ground, hours, Duration.ofNanos(System.nanoTime() - began));
        cluster.close();
    }

    /** Each rack of readers has a server of each rack, so that the death of a rack is felt by all. */
    private void build() {
        List<NetioLoops> hosts = new ArrayList<>();
        for (int i = 0; i < racks; i++) {
            hosts.add(cluster.host("reader-" + i));
        }
        int count = racks * perRack;
        long link = 0;
        for (int i = 0; i < count; i++) {
            int own = links / count + (i < links % count ? 1 : 0);
            FrontEnd server = new FrontEnd(cluster, i, link, own);
            servers.add(server);
            readers.add(new LinkReader(cluster, hosts.get(i % racks), server, delays));
            link += own;
            server.start();
        }
        cluster.advance(SECOND);
        readers.forEach(LinkReader::start);
        cluster.advance(SECOND, () -> servers.stream().allMatch(FrontEnd::isSubscribed));
        cluster.advance(SECOND);
    }

    private void hour(Ground ground, int hour) {
        burst();
        for (int minute = 0; minute < MINUTES; minute++) {
            ground.progress("hour " + hour + ", minute " + minute + ": " + arrived() + " fragments");
            if (minute == RESTART_MINUTE) {
                restart(ground.random().nextInt(racks));
            }
            if (minute == SLOW_MINUTE) {
                int slow = ground.random().nextInt(racks);
                slow(slow, true);
                burst();
                slow(slow, false);
                cluster.advance(SECOND);
            }
            servers.forEach(FrontEnd::tick);
            cluster.advance(MINUTES * SECOND);
        }
    }

    /** A second of 100 fragments of each link. */
    private void burst() {
        for (int i = 0; i < BURST_TICKS; i++) {
            servers.forEach(FrontEnd::tick);
            cluster.advance(BURST_PERIOD);
        }
    }

    private void restart(int rack) {
        List<FrontEnd> dying = servers.subList(rack * perRack, (rack + 1) * perRack);
        for (int i = 0; i < BURST_TICKS / 10; i++) {
            servers.forEach(FrontEnd::tick);
            cluster.advance(BURST_PERIOD);
        }
        servers.forEach(FrontEnd::tick);
        cluster.advance(MILLI / 50); // the last fragments are on their way
        dying.forEach(FrontEnd::kill);
        cluster.advance(DOWN);
        dying.forEach(FrontEnd::start);
        long start = cluster.now();
        allBack &= cluster.advance(BACK_LIMIT, () -> dying.stream().allMatch(FrontEnd::isSubscribed));
        longestBack = Math.max(longestBack, cluster.now() - start);
        restarts++;
    }

    private void slow(int rack, boolean now) {
        for (int i = 0; i < readers.size(); i++) {
            if (i % racks == rack) {
                readers.get(i).slow(now);
            }
        }
    }

    private long arrived() {
        return readers.stream().mapToLong(each -> each.check().arrived()).sum();
    }

    private void report(Ground ground, int hours, Duration took) {
        long published = servers.stream().flatMap(each -> each.runs().stream()).mapToLong(Long::longValue).sum();
        long arrived = arrived();
        long missing = readers.stream().mapToLong(each -> each.check().missing()).sum();
        long lost = readers.stream().mapToLong(LinkReader::lostWithTheDead).sum();
        long untold = readers.stream().mapToLong(LinkReader::untold).sum();
        List<String> faults = readers.stream().flatMap(each -> each.check().faults().stream()).toList();
        ground.check(text("%d h of %d servers, %,d links; bursts of 100 Hz", hours, servers.size(), links),
                "all arrive in order, or are told as missing",
                text("%,d published, %,d arrived, %,d told as missing, %,d with servers that died, %,d untold; faults: %s; %d s",
                        published, arrived, missing, lost, untold, first(faults), took.toSeconds()),
                untold == 0 && faults.isEmpty() && lost >= 0 && published == arrived + missing + lost && arrived > 0);
        ground.check(restarts + " deaths of a rack of " + perRack + " servers",
                "all readers are back within 2 s of its return, and are told of each new run",
                text("after %.0f ms at most", longestBack / (double) MILLI),
                allBack && readers.stream().allMatch(LinkReader::hasSeenAllRuns));
        ground.check("a rack of slow readers in each hour", "the others' fragments take less than 10 ms (p99.9)",
                text("p50 %.2f, p99.9 %.2f, at most %.2f ms; %,d missing", ms(50), ms(99.9), ms(100), missing),
                delays.getValueAtPercentile(99.9) < DELAY_LIMIT);
        long unasked = servers.stream().mapToLong(FrontEnd::unasked).sum();
        ground.check("nothing else", "no loop reports an error",
                text("%d errors %s; %,d fragments nobody had asked for; %,d turns of loops", cluster.errors().size(),
                        cluster.errors().stream().limit(1).toList(), unasked, cluster.turns()), cluster.errors().isEmpty());
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private double ms(double percentile) {
        return delays.getValueAtPercentile(percentile) / (double) MILLI;
    }

    private static String first(List<String> faults) {
        return faults.isEmpty() ? "none" : faults.size() + ", first " + faults.getFirst();
    }
}
