// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.kafka.NetioKafkaException.Reason;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;

/**
 * Partitions that topics get while a source follows them. The consumer asks the brokers at its own pace (metadata.max.age.ms);
 * what it knows is looked at here once a second, which asks nobody. For the source's thread.
 */
final class AddedPartitions {
    private final Logger log;
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final List<String> topics;
    private final long patience;
    private long looked = System.nanoTime();
    private boolean misses;
    private long missing;

    /** A partition that is gone may come again within {@code patience}: brokers that have just begun do not know all. */
    AddedPartitions(List<String> topics, Duration patience, Logger log) {
        this.log = log;
        this.topics = topics;
        this.patience = patience.toNanos();
    }

    void takeIfTime(Consumer<byte[], byte[]> consumer, PartitionHeads heads) {
        if (System.nanoTime() - looked >= LOOK.toNanos()) {
            take(consumer, heads);
            looked = System.nanoTime();
        }
    }

    /**
     * Takes them from their beginning: all that they have came after the subscription. One that has no leader yet is taken later.
     *
     * @throws NetioKafkaException if partitions that are read are gone
     */
    private void take(Consumer<byte[], byte[]> consumer, PartitionHeads heads) {
        Set<TopicPartition> known = consumer.assignment();
        try {
            Set<TopicPartition> all = new HashSet<>(known);
            Set<TopicPartition> there = new HashSet<>();
            for (String topic : topics) {
                for (PartitionInfo info : consumer.partitionsFor(topic, LOOK)) {
                    TopicPartition partition = new TopicPartition(info.topic(), info.partition());
                    there.add(partition);
                    if (info.leader() != null) {
                        all.add(partition);
                    }
                }
            }
            checkThatNoneIsGone(known, there);
            List<TopicPartition> added = all.stream().filter(one -> !known.contains(one)).toList();
            if (added.isEmpty()) {
                return;
            }
            Map<TopicPartition, Long> first = consumer.beginningOffsets(added, LOOK);
            consumer.assign(all); // those that are known keep their positions, and what is fetched
            first.forEach((partition, offset) -> {
                consumer.seek(partition, offset);
                heads.open(partition);
            });
            log.info("partitions were added, and are read from their beginning: {}", first);
        } catch (TimeoutException e) {
            log.debug("looking for added partitions; again in {}", LOOK, e);
        }
    }

    /** A topic that was deleted, or made again with fewer partitions, would be waited for without a word. */
    private void checkThatNoneIsGone(Set<TopicPartition> known, Set<TopicPartition> there) {
        long now = System.nanoTime();
        if (there.containsAll(known)) {
            misses = false;
        } else if (!misses) {
            misses = true;
            missing = now;
        } else if (now - missing > patience) {
            List<TopicPartition> gone = known.stream().filter(one -> !there.contains(one)).toList();
            throw new NetioKafkaException(Reason.NO_TOPIC, "reading " + String.join(", ", topics) + ": these partitions are"
                    + " gone: " + gone + ". The topic was deleted, or made again with fewer of them", null);
        }
    }
}
