// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.kafka.NetioKafkaException.Reason;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;

/**
 * Whether topics that are read are still the same. A topic that is deleted and made again has offsets of its own, and a consumer
 * goes on in it at the old one, if there is such: it skips what is before that, and says nothing. For the source's thread.
 */
final class TopicIds implements AutoCloseable {
    private final Logger log;
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final SourceSettings settings;
    private final KafkaClients.Topics topics;
    private Map<String, Uuid> ids = Map.of();
    private long asked;

    TopicIds(SourceSettings settings, Logger log) {
        this.log = log;
        this.settings = settings;
        this.topics = settings.clients.topics(settings.consumer(), LIMIT);
        check();
    }

    /** What may have been skipped until now is told at the latest after a while. */
    void checkIfTime() {
        if (System.nanoTime() - asked >= settings.askForTopics.toNanos()) {
            check();
        }
    }

    /** Asks, and throws if one is another topic of the same name; for brokers that do not answer nothing is said here. */
    void check() {
        try {
            Map<String, Uuid> now = topics.ids(settings.topics);
            for (Map.Entry<String, Uuid> known : ids.entrySet()) {
                if (!known.getValue().equals(now.get(known.getKey()))) {
                    throw new NetioKafkaException(Reason.NO_OFFSET, "topic " + known.getKey() + " was deleted and made again"
                            + " while it was read: what the new one has before the offsets that were reached may be missing",
                            null);
                }
            }
            ids = ids.isEmpty() ? Map.copyOf(now) : ids;
        } catch (NetioKafkaException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            log.debug("asking whether the topics are the same", e);
        } catch (Exception e) {
            log.debug("asking whether the topics are the same", e);
        }
        asked = System.nanoTime();
    }

    @Override
    public void close() {
        topics.close();
    }
}
