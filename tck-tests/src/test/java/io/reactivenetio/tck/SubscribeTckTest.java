// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import reactor.core.publisher.Flux;

/** Messages as they are subscribed to. */
@SuppressWarnings("exports")
public class SubscribeTckTest extends PublishedVerification<TaggedMessage> {
    @Override
    Flux<TaggedMessage> subscribe(NetioSubscriber subscriber, Tags tags) {
        return subscriber.subscribe(tags);
    }
}
