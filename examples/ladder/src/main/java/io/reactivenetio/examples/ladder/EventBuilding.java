// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;

/**
 * Builds events of the fragments of three links with {@code Flux.zip}. The links are streams of one connection. Link 3 takes
 * 20 ms for a fragment and holds the others back: {@code zip} asks each link for four fragments ahead, the stream asks for
 * one or two more, and a link makes no more than it is asked for. Try another number in place of {@code AHEAD}. Or put {@code
 * take(3)} at the end of {@code fragments}: the event builder ends with the first link that ends.
 */
public final class EventBuilding {
    private static final int LINKS = 3;
    private static final int AHEAD = 4;
    private static final AtomicInteger BUILT = new AtomicInteger();
    private static final AtomicInteger FURTHEST = new AtomicInteger();

    private EventBuilding() {
    }

    // docs
    record Fragment(int event, int charge) {
    }

    static final NetioCodec<Fragment> FRAGMENTS = NetioCodec.ofRecord(Fragment.class);

    static Flux<Fragment> fragments(int link) {
        Flux<Integer> events = Flux.range(1, 1_000);
        Flux<Integer> paced = link == LINKS ? events.concatMap(n -> Flux.just(n).delayElements(Duration.ofMillis(20)), 1)
                : events.doOnNext(n -> FURTHEST.accumulateAndGet(n - BUILT.get(), Math::max));
        return paced.map(event -> new Fragment(event, 100 * link + event));
    }

    static void serve(NetioConnection connection) {
        IntStream.rangeClosed(1, LINKS).mapToObj(connection::stream)
                .forEach(stream -> stream.send(fragments((int) stream.tag()), FRAGMENTS).then(stream.completeOutbound())
                        .subscribe(sent -> { }, cancelled -> { }));
    }

    static Flux<String> events(NetioConnection connection) {
        List<Flux<Fragment>> links = IntStream.rangeClosed(1, LINKS)
                .mapToObj(link -> connection.stream(link).receive(FRAGMENTS)).toList();
        return Flux.zip(links, AHEAD, EventBuilding::event);
    }

    static String event(Object[] fragments) {
        StringBuilder text = new StringBuilder("event " + ((Fragment) fragments[0]).event() + ":");
        for (Object fragment : fragments) {
            text.append(' ').append(((Fragment) fragment).charge());
        }
        return text.toString();
    }
    // docs end

    /** Prints the first events. */
    public static void main(String... args) {
        BUILT.set(0);
        FURTHEST.set(0);
        var server = NetioServer.create().backend(Backend.chosen()).doOnConnection(EventBuilding::serve).bindNow();
        var connection = NetioClient.create().backend(Backend.chosen()).port(server.port()).connectNow();
        events(connection).take(6).doOnNext(event -> BUILT.incrementAndGet()).doOnNext(System.out::println)
                .blockLast(Duration.ofSeconds(10));
        System.out.println("no link was more than " + FURTHEST + " fragments ahead");
        connection.dispose();
        server.dispose();
    }
}
