// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** Messages that an operator polls on another thread. */
@SuppressWarnings("exports")
public class SubscribePolledTckTest extends PublishedVerification<TaggedMessage> {
    @Override
    Flux<TaggedMessage> subscribe(NetioSubscriber subscriber, Tags tags) {
        return subscriber.subscribe(tags).publishOn(Schedulers.parallel());
    }
}
