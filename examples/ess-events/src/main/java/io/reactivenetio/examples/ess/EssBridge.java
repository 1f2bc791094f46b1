// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ess;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaSink;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Takes the messages of a detector further, as they are. A message that is damaged, or by another schema, is left out, logged and
 * counted.
 */
final class EssBridge {
    private static final Logger LOG = LoggerFactory.getLogger(EssBridge.class);

    private final NetioSubscriber detector;
    private final Tags tags;
    private final LongAdder leftOut = new LongAdder();

    EssBridge(NetioSubscriber detector, Tags tags) {
        this.detector = detector;
        this.tags = tags;
    }

    /** How many messages were left out. */
    long leftOut() {
        return leftOut.sum();
    }

    private Flux<TaggedMessage> messages() {
        return detector.subscribe(tags).filter(this::isWhole);
    }

    private boolean isWhole(TaggedMessage message) {
        try {
            EssMessage.read(message.payload());
            return true;
        } catch (IllegalArgumentException e) {
            leftOut.increment();
            LOG.warn("a message with tag {} is left out: {}", message.tag(), e.getMessage());
            return false;
        }
    }

    // docs
    /** Publishes the messages again, with the same tags, for any number of subscribers. */
    NetioPublisher publisher() {
        return NetioPublisher.create().publish(tags, messages());
    }

    /** Writes the messages to Kafka. The time of a record is that of its event, by which Kafka finds it again. */
    Mono<Long> toKafka(NetioKafkaSink sink) {
        return sink.timestamp(message -> EssMessage.read(message.payload()).time()).sendTagged(messages()).count();
    }
    // docs end
}
