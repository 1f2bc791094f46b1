// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Where this library is asked for more and more of one thing. */
final class GrowthPlan {
    private static final int SMALL = 64;
    private static final int BUFFERS = 64;
    /** How many of a thousand connections are busy. */
    private static final int BUSY = 50;
    /** More than the default buffers have room for. */
    private static final int AHEAD = 1 << 16;
    /** How much longer the warm-up of many connections is than what is measured. */
    private static final int WARM_UP = 4;
    private static final List<Integer> SIZES = List.of(SMALL, 1 << 10, 1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22);

    /** One line: what there is, how large its messages are, and how long the way is. */
    record Point(Growth growth, Work work, Duration delay) {
        String title() {
            return growth.title() + (work.size() == SMALL ? "" : ", " + work.size() + " bytes")
                    + (delay.isZero() ? "" : ", " + delay.toMillis() + " ms away");
        }
    }

    /** Lines that belong together; {@code name} is that of their chart. */
    record Block(String name, String title, List<Point> points) {
    }

    private final long millis;
    private final Waiting waiting;

    /** Each line takes {@code millis}, after half of that as a warm-up, with loops that wait as {@code waiting} says. */
    GrowthPlan(long millis, Waiting waiting) {
        this.millis = millis;
        this.waiting = waiting;
    }

    List<Block> all() {
        return List.of(
                block("connections", "connections, 64 bytes", connections(Via.LIBFABRIC)),
                block("connections-tcp", "connections of plain TCP, 64 bytes", connections(Via.TCP)),
                block("tags", "tags, 64 bytes", List.of(point(1, 1, 0, 0), point(1, 10, 0, 0), point(1, 100, 0, 0),
                        point(1, 1000, 0, 0), point(1, 10_000, 0, 0))),
                block("slow-consumers", "slow consumers, 64 bytes", List.of(point(1, 100, 0, 0), point(1, 100, 0, 10),
                        point(1, 100, 0, 50), point(1, 100, 0, 90))),
                block("demand", "demand (else unbounded), prefetch and distance, 64 bytes", demand()),
                block("mechanisms", "connections of plain TCP, on epoll and on io_uring, 64 bytes", mechanisms()),
                block("sizes", "size of messages", SIZES.stream().map(size ->
                        new Point(growth(1, 1, 0, 0, 0), work(size), Duration.ZERO)).toList()));
    }

    /** Less of it. */
    List<Block> some() {
        return List.of(block("connections", "connections and tags, 64 bytes", List.of(point(1, 1, 0, 0), point(10, 1, 0, 0),
                point(1, 100, 0, 0))));
    }

    /** How many connections are opened; each of {@link #opening}'s rounds begins with none. */
    List<Opening> openings(boolean quick) {
        return (quick ? Stream.of(100) : Stream.of(100, 1000)).flatMap(connections -> OpeningTo.available().stream()
                .map(to -> new Opening(connections, to))).toList();
    }

    /** What a round of them is. */
    Work opening() {
        return new Work(Mode.ROUNDTRIP, SMALL, 1, Waiting.SLEEP, 0, millis, "tcp");
    }

    /**
     * The default buffers of a thousand connections would be 4 GB on each side. Many connections need a long warm-up: their
     * buffers are touched for the first time, and their first turns run code that is not compiled.
     */
    private List<Point> connections(Via via) {
        return Stream.concat(Stream.of(1, 10, 100).map(number -> new Growth(number, 1, 0, 0, 0, 0, false, via)),
                        Stream.of(1, 10, 100, 1000).map(number -> new Growth(number, 1, 0, 0, 0, 0, true, via)))
                .map(growth -> new Point(growth, work(SMALL, WARM_UP * millis), Duration.ZERO)).toList();
    }

    private List<Point> demand() {
        List<Point> points = new ArrayList<>();
        for (int delay : new int[] {0, 1, 10}) {
            for (int demand : new int[] {1, 8, 64, 256, 0}) {
                points.add(new Point(growth(1, 1, demand, 0, 0), work(SMALL), Duration.ofMillis(delay)));
            }
            for (int demand : new int[] {1, 256}) {
                points.add(new Point(growth(1, 1, demand, AHEAD, 0), work(SMALL), Duration.ofMillis(delay)));
            }
        }
        return points;
    }

    private List<Point> mechanisms() {
        return Stream.of(new Growth(1, 1, 0, 0, 0, 0, false, Via.TCP), new Growth(100, 1, 0, 0, 0, 0, true, Via.TCP),
                        new Growth(1000, 1, 0, 0, 0, BUSY, true, Via.TCP))
                .flatMap(tcp -> Stream.of(tcp, new Growth(tcp.connections(), 1, 0, 0, 0, tcp.busy(), tcp.small(), Via.RING)))
                .filter(growth -> Via.available().contains(growth.via()))
                .map(growth -> new Point(growth, work(SMALL), Duration.ZERO)).toList();
    }

    private Block block(String name, String title, List<Point> points) {
        return new Block(name, title + (waiting == Waiting.SPIN ? ", spinning" : ""), points);
    }

    private static Growth growth(int connections, int tags, int demand, int prefetch, int stalled) {
        return new Growth(connections, tags, demand, prefetch, stalled, 0, false, Via.LIBFABRIC);
    }

    private Point point(int connections, int tags, int demand, int stalled) {
        return new Point(growth(connections, tags, demand, 0, stalled), work(SMALL), Duration.ZERO);
    }

    private Work work(int size) {
        return work(size, millis / 2);
    }

    private Work work(int size, long warmupMillis) {
        return new Work(Mode.STREAM, size, BUFFERS, waiting, warmupMillis, millis, "tcp");
    }
}
