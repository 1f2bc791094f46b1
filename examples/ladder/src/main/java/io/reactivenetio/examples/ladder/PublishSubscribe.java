// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Publishes 150 hits under tag 7, one every 2 ms, to two subscribers. The fast one gets them as they come. The slow one takes
 * 20 ms for each hit and has a queue of 32 at the publisher. A full queue drops the oldest hits, and the subscriber is told
 * how many. Try {@code SlowPolicy.BACKPRESSURE}: nothing is dropped, and both wait for the slower one.
 */
public final class PublishSubscribe {
    private static final int HITS = 150;

    private PublishSubscribe() {
    }

    // docs
    static Mono<String> told(String name, NetioSubscriber subscriber, Function<Flux<Long>, Flux<Long>> work) {
        return subscriber.subscribe(NetioCodec.longs(), 7)
                .transform(work)
                .count()
                .map(got -> {
                    long dropped = subscriber.statistics().dropped();
                    return name + ": got " + got + " hits, dropped " + dropped + ", together " + (got + dropped);
                });
    }

    /** Prints what both subscribers got. */
    public static void main(String... args) {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 32);
        Flux<Long> bothAreThere = Flux.interval(Duration.ofMillis(1))
                .filter(tick -> publisher.statistics().subscribers() == 2).take(1);
        publisher.publish(7, Flux.range(1, HITS).map(Long::valueOf).delayElements(Duration.ofMillis(2))
                .delaySubscription(bothAreThere), NetioCodec.longs());
        var server = publisher.serve(NetioServer.create().backend(Backend.chosen())).bindNow();
        NetioClient client = NetioClient.create().backend(Backend.chosen()).port(server.port());
        Flux.merge(told("fast", NetioSubscriber.create(client), hits -> hits),
                        told("slow", NetioSubscriber.create(client), hits -> hits
                                .concatMap(hit -> Mono.delay(Duration.ofMillis(20)).thenReturn(hit), 1)))
                .doOnNext(System.out::println).blockLast(Duration.ofSeconds(20));
        server.dispose();
        publisher.dispose();
    }
    // docs end
}
