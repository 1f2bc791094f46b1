// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedEvent;
import reactor.core.publisher.Flux;

/** Messages with their numbers. */
@SuppressWarnings("exports")
public class SequencedTckTest extends PublishedVerification<SequencedEvent> {
    @Override
    Flux<SequencedEvent> subscribe(NetioSubscriber subscriber, Tags tags) {
        return subscriber.subscribeSequenced(tags);
    }
}
