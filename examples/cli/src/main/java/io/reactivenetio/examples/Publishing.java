// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static io.reactivenetio.examples.Coding.HITS;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.examples.Coding.Hit;
import io.reactivenetio.pubsub.Missed;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.time.Duration;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** The snippets of docs/guide.md about publishing. */
final class Publishing {

    private Publishing() {
    }

    // guide
    static NetioPublisher publisher(Flux<Hit> hits, Flux<TaggedMessage> monitoring) {
        return NetioPublisher.create(SlowPolicy.DROP_OLDEST, 1_024)
                .publish(7, hits, HITS) // one Flux, which all subscribers share
                .publish(Tags.range(0x1000, 0x1fff), monitoring) // one Flux whose messages say their tags
                .publishEach(Tags.of(8), tag -> hits.take(100), HITS); // a Flux for each subscriber
    }

    // guide
    static Flux<Hit> hits(NetioClient client, Consumer<Missed> log) {
        return NetioSubscriber.create(client)
                .reconnect(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(100)).maxBackoff(Duration.ofMillis(500)))
                .doOnMissed(log) // how many messages, and why
                .subscribe(HITS, 7);
    }
    // guide end
}
