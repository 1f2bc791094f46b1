// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.kafka.NetioKafkaException.Reason;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Kafka's exceptions in words that say what to do. */
record KafkaProblems(String bootstrap) {

    NetioKafkaException explain(Throwable problem, String doing, long unacknowledged) {
        if (problem instanceof NetioKafkaException known) {
            return known.unacknowledged() == unacknowledged ? known : new NetioKafkaException(known.reason(),
                    known.getMessage() + lost(unacknowledged), unacknowledged, known.getCause());
        }
        Throwable cause = cause(problem);
        String said = text(cause);
        String lost = lost(unacknowledged);
        return switch (cause) {
            case UnknownTopicOrPartitionException _ -> noTopic(doing, lost, unacknowledged, cause);
            case TimeoutException _ when said.contains("not present in metadata") -> noTopic(doing + ": " + said, lost,
                    unacknowledged, cause);
            case InvalidTopicException _ -> new NetioKafkaException(Reason.NO_TOPIC, doing + ": no name of a topic: " + said
                    + lost, unacknowledged, cause);
            case AuthorizationException _, AuthenticationException _ -> new NetioKafkaException(Reason.NOT_ALLOWED, doing
                    + ": Kafka at " + bootstrap + " does not allow it: " + said + lost, unacknowledged, cause);
            case ProducerFencedException _, InvalidProducerEpochException _ -> new NetioKafkaException(Reason.FENCED, doing
                    + ": another program has begun with the same transactional id, and this one may not go on" + lost,
                    unacknowledged, cause);
            case RecordTooLargeException _ -> new NetioKafkaException(Reason.TOO_LARGE, doing + ": too large: " + said
                    + " (the producer's max.request.size, the topic's max.message.bytes)" + lost, unacknowledged, cause);
            case InvalidTimestampException _ -> badTime(doing, said, lost, unacknowledged, cause);
            case InvalidRecordException _ when said.contains("imestamp") -> badTime(doing, said, lost, unacknowledged, cause);
            case OffsetOutOfRangeException _, NoOffsetForPartitionException _ -> new NetioKafkaException(Reason.NO_OFFSET, doing
                    + ": " + said + ". It may have been deleted by the topic's retention: begin at the beginning, or at a time",
                    unacknowledged, cause);
            case ConfigException _ -> new NetioKafkaException(Reason.SETTINGS, doing + ": " + said, unacknowledged, cause);
            case TimeoutException _ -> new NetioKafkaException(Reason.NO_BROKER, doing + ": no broker at " + bootstrap
                    + " has answered in time: " + said + lost, unacknowledged, cause);
            default -> new NetioKafkaException(Reason.OTHER, doing + ": " + cause.getClass().getSimpleName() + ": " + said + lost,
                    unacknowledged, cause);
        };
    }

    private static String lost(long unacknowledged) {
        return unacknowledged == 0 ? "" : "; " + unacknowledged + " messages are not known to be in Kafka";
    }

    private NetioKafkaException noTopic(String doing, String lost, long unacknowledged, Throwable cause) {
        return new NetioKafkaException(Reason.NO_TOPIC, doing + ": there is no such topic at " + bootstrap
                + ". Create it: kafka-topics.sh --bootstrap-server " + bootstrap
                + " --create --topic NAME --partitions N --replication-factor N" + lost, unacknowledged, cause);
    }

    private static NetioKafkaException badTime(String doing, String said, String lost, long unacknowledged, Throwable cause) {
        return new NetioKafkaException(Reason.TIMESTAMP, doing + ": the broker does not take its time: " + said
                + ". A clock is wrong, that of this machine, of the broker or of what timestamp(…) reads; or the topic's"
                + " message.timestamp.after.max.ms or message.timestamp.before.max.ms is too narrow. With"
                + " message.timestamp.type=LogAppendTime the broker gives the times" + lost, unacknowledged, cause);
    }

    /** What a Throwable says, also one whose methods throw: it may be a user's own. */
    private static String text(Throwable said) {
        try {
            String message = said.getMessage();
            return message == null ? said.getClass().getSimpleName() : message;
        } catch (Throwable e) {
            return said.getClass().getSimpleName();
        }
    }

    /** Checks that a broker and all topics are there. Blocks for {@code limit} at most. */
    void checkTopics(KafkaClients clients, Map<String, Object> settings, Collection<String> topics, Duration limit) {
        try {
            clients.checkTopics(settings, topics, limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw explain(e, "interrupted", 0);
        } catch (Exception e) {
            throw explain(e, topics.isEmpty() ? "looking for the brokers" : "topic " + String.join(", ", topics), 0);
        }
    }

    /** Kafka wraps what counts, for instance an address that cannot be resolved. */
    private static Throwable cause(Throwable problem) {
        Throwable cause = problem;
        while (cause.getCause() != null && (cause instanceof ExecutionException
                || cause.getClass() == org.apache.kafka.common.KafkaException.class)) {
            cause = cause.getCause();
        }
        return cause;
    }
}
