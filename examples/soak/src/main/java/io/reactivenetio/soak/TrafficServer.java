// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The side of mixed traffic that publishes and answers. Each way has a loop, and one of its three servers loses connections. */
final class TrafficServer {
    static final Tags HOT = Tags.of(1);
    static final Tags BULK = Tags.of(2);
    static final Tags SIZES = Tags.of(3);
    static final Tags LARGE = Tags.of(4);
    static final Tags LEASED = Tags.of(5);
    static final long QUESTIONS = 6;
    static final Tags WAITING = Tags.of(7);

    private static final int SMALL_BYTES = 64;
    private static final int LARGE_BYTES = 1 << 20;
    private static final int SIZES_BYTES = 1 << 16;
    private static final int LEASED_BYTES = 1 << 11;
    /** What each source publishes. */
    static final Map<Tags, Pattern> PATTERNS = Map.of(BULK, Pattern.of(SMALL_BYTES), SIZES, Pattern.upTo(SIZES_BYTES),
            LARGE, Pattern.of(LARGE_BYTES), LEASED, Pattern.upTo(LEASED_BYTES), HOT, Pattern.of(SMALL_BYTES),
            WAITING, Pattern.of(SMALL_BYTES));

    private static final int BULK_PER_TICK = 60;
    private static final int HOT_PER_TICK = 2;
    private static final int QUEUE = 1_024;

    private TrafficServer() {
    }

    private static Flux<Long> numbers(Duration tick, int each) {
        return Flux.interval(tick).onBackpressureDrop().concatMap(time -> Flux.range(0, each)).index((number, one) -> number);
    }

    private static NetioPublisher publisher() {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, QUEUE)
                .publish(HOT.first(), numbers(Duration.ofMillis(1), HOT_PER_TICK), pattern(HOT));
        each(publisher, BULK, Duration.ofMillis(1), BULK_PER_TICK);
        each(publisher, SIZES, Duration.ofMillis(2), 1);
        each(publisher, LARGE, Duration.ofMillis(200), 1);
        each(publisher, LEASED, Duration.ofMillis(1), 2);
        return publisher;
    }

    private static Pattern pattern(Tags tags) {
        Pattern pattern = PATTERNS.get(tags);
        if (pattern == null) {
            throw new IllegalArgumentException("nothing is published as " + tags);
        }
        return pattern;
    }

    private static void each(NetioPublisher publisher, Tags tags, Duration tick, int each) {
        publisher.publishEach(tags, tag -> numbers(tick, each), pattern(tags));
    }

    /** Plays it: {@code WAY…}. It says its ports, and serves until it is told to stop. */
    static void run(WorkerLines lines, List<String> arguments) throws InterruptedException {
        List<DisposableServer> servers = new ArrayList<>();
        List<String> ports = new ArrayList<>();
        Set<NetioConnection> fleeting = ConcurrentHashMap.newKeySet();
        for (String argument : arguments) {
            TrafficWay way = TrafficWay.valueOf(argument);
            NetioLoops loops = way.loops();
            NetioServer server = NetioServer.create().host("127.0.0.1").backend(way.backend()).runOn(loops);
            NetioPublisher waiting = NetioPublisher.create()
                    .publish(WAITING.first(), numbers(Duration.ofMillis(1), 1), pattern(WAITING));
            servers.add(publisher().serve(server.doOnConnection(TrafficServer::answer)).bindNow());
            servers.add(publisher().serve(server.doOnConnection(connection -> {
                fleeting.add(connection);
                connection.onDispose().subscribe(end -> { }, failure -> fleeting.remove(connection),
                        () -> fleeting.remove(connection));
            })).bindNow());
            servers.add(waiting.serve(server).bindNow());
        }
        servers.forEach(server -> ports.add(Integer.toString(server.port())));
        Disposable breaks = Flux.interval(Duration.ofMillis(12)).onBackpressureDrop().subscribe(tick -> breakOne(fleeting));
        lines.say("ready", "ports", String.join(",", ports));
        lines.await("stop");
        breaks.dispose();
        Waiting.within(Duration.ofSeconds(5), () -> connections(servers) == 0);
        lines.say("left", "connections", connections(servers));
        lines.await("end");
    }

    private static int connections(List<DisposableServer> servers) {
        return servers.stream().mapToInt(DisposableServer::connections).sum();
    }

    private static void breakOne(Set<NetioConnection> fleeting) {
        List<NetioConnection> all = List.copyOf(fleeting);
        if (!all.isEmpty()) {
            all.get(ThreadLocalRandom.current().nextInt(all.size())).dispose();
        }
    }

    private static void answer(NetioConnection connection) {
        connection.respond(QUESTIONS, question -> Mono.just(ByteBuffer.allocate(question.remaining()).put(question).flip()))
                .subscribe(end -> { }, failure -> { });
    }
}
