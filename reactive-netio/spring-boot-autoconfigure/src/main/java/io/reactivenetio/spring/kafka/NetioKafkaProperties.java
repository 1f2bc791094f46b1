// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.spring.NetioClientProperties;
import io.reactivenetio.spring.NetioProperties.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What {@code netio.kafka.*} configures. A setting that is null is the library's own.
 *
 * @param bootstrapServers the brokers, each as host:port; spring.kafka.bootstrap-servers unless set
 * @param properties properties of the Kafka client, for all sinks and sources
 * @param reconnect what to do when Kafka is not there
 * @param sinks streams of clients that are written to topics, by name
 * @param sources topics that are published, by name
 */
@ConfigurationProperties("netio.kafka")
public record NetioKafkaProperties(@DefaultValue List<String> bootstrapServers, @DefaultValue Map<String, String> properties,
        @NestedConfigurationProperty @DefaultValue NetioClientProperties.Reconnect reconnect,
        @DefaultValue Map<String, Sink> sinks, @DefaultValue Map<String, Source> sources) {

    /**
     * A stream of a client that is written to a topic.
     *
     * @param client the name of the client that subscribes; the only one unless set
     * @param tags what to subscribe to: tags, ranges and patterns, each of them a stream
     * @param topic the topic, which has to exist
     * @param from where to begin: behind what the topic has already, or with what comes now
     * @param partitioning how partitions are chosen
     * @param tooLarge what to do with a message that Kafka does not take because of its size
     * @param timestamp where a message has the time of its event, which its record gets; when it came unless there is an offset
     * @param inFlight how much is taken and not acknowledged at most
     * @param transaction transactions to write in; none unless there is an id
     * @param timeout how long finding the brokers and the topic may take
     * @param deliveryTimeout how long brokers may be away until the sink fails
     * @param closeTimeout how long closing the producer may take
     * @param properties properties of the Kafka client, for this sink
     */
    public record Sink(@DefaultValue("") String client, @DefaultValue List<String> tags, @Nullable String topic,
            @DefaultValue("last") SinkStart from, @DefaultValue("key-hash") PartitionChoice partitioning,
            @DefaultValue("fail") TooLarge tooLarge, @DefaultValue Timestamp timestamp, @DefaultValue InFlight inFlight,
            @DefaultValue Transaction transaction, @Nullable Duration timeout, @Nullable Duration deliveryTimeout,
            @Nullable Duration closeTimeout, @DefaultValue Map<String, String> properties) {
    }

    /** Where a sink begins. */
    public enum SinkStart {
        /** Behind the last message that the topic has; what was published since is counted as missed. */
        LAST,
        /** The source begins with what is published from now on. */
        NOW
    }

    /** How a sink chooses partitions. */
    public enum PartitionChoice {
        /** A hash of the key, which is the tag, decides, as every Kafka client does it. */
        KEY_HASH,
        /** The tag, modulo the number of partitions. */
        TAG
    }

    /** What a sink does with a message that Kafka does not take because of its size. */
    public enum TooLarge {
        /** The sink fails. */
        FAIL,
        /** The message is left out, counted and logged. */
        SKIP
    }

    /**
     * Where a message has the time of its event: a number of 8 bytes, so many units since 1970.
     *
     * @param offset the offset of its first byte in the payload; messages that are shorter get the time when they came
     * @param byteOrder the order of its bytes
     * @param unit its unit, such as nanoseconds or milliseconds, which has to be set with the offset
     */
    public record Timestamp(@Nullable Integer offset, @DefaultValue("big-endian") ByteOrder byteOrder, @Nullable TimeUnit unit) {
    }

    /**
     * How much is taken and not acknowledged at most.
     *
     * @param messages how many messages
     * @param bytes how many bytes of payload
     */
    public record InFlight(@DefaultValue("10000") int messages, @DefaultValue("32MB") DataSize bytes) {
    }

    /**
     * The transactions that a sink writes in.
     *
     * @param id the transactional id; a producer that begins with the same id later ends this one
     * @param messages after how many messages a transaction is committed
     * @param interval how long after its first message a transaction is committed
     */
    public record Transaction(@Nullable String id, @DefaultValue("1000") int messages,
            @DefaultValue("500ms") Duration interval) {
    }

    /**
     * Topics that are published.
     *
     * @param topics the topics, which have to exist
     * @param tags what is published, as one tag, range or pattern; messages with other tags are left out
     * @param from where to begin: beginning, end, or a time such as 2026-11-23T22:00:00Z
     * @param follow whether to go on with what comes later, instead of ending at the present end
     * @param speed the factor of the original pace; as fast as possible unless set
     * @param rate messages per second; as fast as possible unless set
     * @param publisher the name of the bean of NetioPublisher; the only or primary one unless set
     * @param timeout how long finding the brokers and the topics may take
     * @param properties properties of the Kafka client, for this source
     */
    public record Source(@DefaultValue List<String> topics, @DefaultValue List<String> tags,
            @DefaultValue("beginning") String from, @DefaultValue("true") boolean follow, @Nullable Double speed,
            @Nullable Double rate, @DefaultValue("") String publisher, @DefaultValue("10s") Duration timeout,
            @DefaultValue Map<String, String> properties) {
    }
}
