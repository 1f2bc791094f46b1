// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaSink;
import io.reactivenetio.kafka.NetioKafkaSource;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.TagTexts;
import io.reactivenetio.spring.UnknownClientException;
import io.reactivenetio.spring.settings.Setter;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** Makes what {@code netio.kafka} configures. Wrong settings are told here, as far as they can be known without a broker. */
final class KafkaTransferFactory {
    private static final String BROKERS = "netio.kafka.bootstrap-servers";

    private final NetioKafkaProperties all;
    private final Environment environment;
    private final KafkaRetry retry;

    KafkaTransferFactory(NetioKafkaProperties all, Environment environment) {
        this.all = all;
        this.environment = environment;
        this.retry = KafkaRetry.of(all.reconnect());
    }

    Map<String, KafkaTransfer> sinks(NetioClients clients, List<NetioKafkaSinkCustomizer> customizers) {
        Map<String, KafkaTransfer> made = new LinkedHashMap<>();
        all.sinks().forEach((name, own) -> {
            String prefix = "netio.kafka.sinks." + name + ".";
            List<Tags> tags = tags(prefix, own.tags());
            NetioKafkaSink sink = sink(prefix, own);
            for (NetioKafkaSinkCustomizer customizer : customizers) {
                sink = Objects.requireNonNull(customizer.customize(name, sink),
                        () -> customizer + " has returned null for sink " + name);
            }
            made.put(name, new KafkaSinkTransfer(name, own, sink, subscriber(prefix, own.client(), clients), tags, retry));
        });
        return made;
    }

    Map<String, KafkaTransfer> sources(ListableBeanFactory beans, List<NetioKafkaSourceCustomizer> customizers) {
        Map<String, KafkaTransfer> made = new LinkedHashMap<>();
        all.sources().forEach((name, own) -> {
            String prefix = "netio.kafka.sources." + name + ".";
            List<Tags> tags = tags(prefix, own.tags());
            if (tags.size() > 1) {
                throw wrong(prefix + "tags", own.tags(), "a source is published as one tag, range or pattern",
                        "Name one that has all of them in it; messages with other tags are left out", null);
            }
            NetioKafkaSource source = source(prefix, own);
            for (NetioKafkaSourceCustomizer customizer : customizers) {
                source = Objects.requireNonNull(customizer.customize(name, source),
                        () -> customizer + " has returned null for source " + name);
            }
            made.put(name, new KafkaSourceTransfer(name, own, source, publisher(prefix, own.publisher(), beans),
                    tags.getFirst(), retry));
        });
        return made;
    }

    private NetioKafkaSink sink(String prefix, NetioKafkaProperties.Sink own) {
        String topic = own.topic();
        if (topic == null || topic.isBlank()) {
            throw missing(prefix + "topic", "a sink writes to a topic", "which has to exist");
        }
        if (own.timestamp().offset() == null && own.timestamp().unit() != null) {
            throw missing(prefix + "timestamp.offset", "there is a unit of timestamps", "to where the time is in the payload");
        }
        NetioKafkaProperties.Transaction transaction = own.transaction();
        Setter<NetioKafkaSink> setter = new Setter<>(prefix, NetioKafkaSink.create(brokers()).topic(topic))
                .set("in-flight", own.inFlight(), (s, limit) -> s.inFlight(limit.messages(), limit.bytes().toBytes()))
                .set("timestamp.offset", own.timestamp().offset(), (s, offset) -> s.timestampAt(offset,
                        own.timestamp().byteOrder().order(), unit(prefix, own.timestamp())))
                .set("timeout", own.timeout(), NetioKafkaSink::timeout)
                .set("delivery-timeout", own.deliveryTimeout(), NetioKafkaSink::deliveryTimeout)
                .set("close-timeout", own.closeTimeout(), NetioKafkaSink::closeTimeout)
                .set("transaction", transaction.id() == null ? null : transaction, (s, t) ->
                        s.transactional(String.valueOf(t.id()), t.messages(), t.interval()));
        NetioKafkaSink sink = setter.get();
        if (own.partitioning() == NetioKafkaProperties.PartitionChoice.TAG) {
            sink = sink.partition((tag, partitions) -> (int) Long.remainderUnsigned(tag, partitions));
        }
        if (own.tooLarge() == NetioKafkaProperties.TooLarge.SKIP) {
            sink = sink.skipTooLarge();
        }
        sink = properties("netio.kafka.properties.", all.properties(), ProducerConfig.configDef(), sink,
                NetioKafkaSink::property);
        return properties(prefix + "properties.", own.properties(), ProducerConfig.configDef(), sink, NetioKafkaSink::property);
    }

    /** A wrong unit would not be noticed before somebody looks for a time, so there is no default. */
    private static TimeUnit unit(String prefix, NetioKafkaProperties.Timestamp own) {
        TimeUnit unit = own.unit();
        if (unit == null) {
            throw missing(prefix + "timestamp.unit", "the time at timestamp.offset has one",
                    "such as nanoseconds or milliseconds");
        }
        return unit;
    }

    private NetioKafkaSource source(String prefix, NetioKafkaProperties.Source own) {
        if (own.topics().isEmpty()) {
            throw missing(prefix + "topics", "a source reads topics", "which have to exist");
        }
        if (own.speed() != null && own.rate() != null) {
            throw wrong(prefix + "rate", own.rate(), "there is " + prefix + "speed, too, which is " + own.speed(),
                    "Set one of the two", null);
        }
        NetioKafkaSource source = new Setter<>(prefix, NetioKafkaSource.create(brokers()))
                .set("topics", own.topics(), (s, topics) -> s.topics(topics.toArray(String[]::new)))
                .set("from", own.from(), KafkaTransferFactory::from)
                .set("speed", own.speed(), NetioKafkaSource::atSpeed)
                .set("rate", own.rate(), NetioKafkaSource::atRate)
                .set("timeout", own.timeout(), NetioKafkaSource::timeout).get();
        source = own.follow() ? source : source.toPresentEnd();
        source = properties("netio.kafka.properties.", all.properties(), ConsumerConfig.configDef(), source,
                NetioKafkaSource::property);
        return properties(prefix + "properties.", own.properties(), ConsumerConfig.configDef(), source,
                NetioKafkaSource::property);
    }

    private static NetioKafkaSource from(NetioKafkaSource source, String from) {
        try {
            return switch (from) {
                case "beginning" -> source.fromBeginning();
                case "end" -> source.fromEnd();
                default -> source.fromTime(Instant.parse(from));
            };
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("it is not beginning, end, or a time such as 2026-11-23T22:00:00Z", e);
        }
    }

    /** Sets a property of Kafka's client on a sink or source. */
    private interface PropertySetter<T> {
        T set(T target, String name, Object value);
    }

    private static <T> T properties(String prefix, Map<String, String> values, ConfigDef known, T target,
            PropertySetter<T> setter) {
        T result = target;
        for (Map.Entry<String, String> one : values.entrySet()) {
            try {
                check(known.configKeys().get(one.getKey()), one.getKey(), one.getValue());
                result = setter.set(result, one.getKey(), one.getValue());
            } catch (IllegalArgumentException | ConfigException e) {
                throw wrong(prefix + one.getKey(), one.getValue(), String.valueOf(e.getMessage()),
                        "Correct it as Kafka's documentation of the client says, or leave it out", e);
            }
        }
        return result;
    }

    private static void check(ConfigDef.@Nullable ConfigKey key, String name, String value) {
        if (key != null) {
            Object parsed = ConfigDef.parseType(name, value, key.type);
            if (key.validator != null) {
                key.validator.ensureValid(name, parsed);
            }
        }
    }

    private String brokers() {
        List<String> own = all.bootstrapServers();
        List<String> brokers = own.isEmpty() ? Binder.get(environment).bind("spring.kafka.bootstrap-servers",
                Bindable.listOf(String.class)).orElse(List.of()) : own;
        if (brokers.isEmpty()) {
            throw missing(BROKERS, "sinks and sources need brokers",
                    "such as localhost:9092, or spring.kafka.bootstrap-servers, which is used as well");
        }
        for (String broker : brokers) {
            if (!broker.strip().matches(".+:[0-9]{1,5}")) {
                throw wrong(own.isEmpty() ? "spring.kafka.bootstrap-servers" : BROKERS, brokers, "'" + broker
                        + "' is not host:port", "Write brokers as host:port, several of them with commas", null);
            }
        }
        return String.join(",", brokers.stream().map(String::strip).toList());
    }

    private static List<Tags> tags(String prefix, List<String> texts) {
        if (texts.isEmpty()) {
            throw missing(prefix + "tags", "it says which messages are meant", "such as 7, 16-31 or 0x100/0xff00");
        }
        try {
            return TagTexts.parse(texts);
        } catch (IllegalArgumentException e) {
            throw wrong(prefix + "tags", texts, String.valueOf(e.getMessage()),
                    "Write tags as 7 or 0x1f, ranges as 16-31, patterns as 0x100/0xff00", e);
        }
    }

    private static NetioSubscriber subscriber(String prefix, String client, NetioClients clients) {
        try {
            return clients.subscriber(client);
        } catch (UnknownClientException e) {
            String name = client.isEmpty() ? "<name>" : client;
            throw wrong(prefix + "client", client, String.valueOf(e.getMessage()), client.isEmpty() && e.known().size() > 1
                    ? "Set it to one of them" : "Configure the client with netio.clients." + name + ".host and netio.clients."
                    + name + ".port" + (e.known().isEmpty() ? "" : ", or name another one"), e);
        } catch (InvalidConfigurationPropertyValueException e) {
            throw wrong(prefix + "client", client, "this client cannot subscribe: " + e.getReason(), "Leave " + e.getName()
                    + " out, on both sides", e);
        }
    }

    private static NetioPublisher publisher(String prefix, String name, ListableBeanFactory beans) {
        if (beans.getBeanNamesForType(NetioServer.class, true, false).length == 0) {
            throw missing("netio.server.port", "there is no server that could publish " + prefix + "*",
                    "to 0 for any free port");
        }
        List<String> names = List.of(beans.getBeanNamesForType(NetioPublisher.class, true, false));
        if (!name.isEmpty() && !names.contains(name)) {
            throw wrong(prefix + "publisher", name, "there is no bean of NetioPublisher of this name: there are "
                    + String.join(", ", names), "Name one of them, or leave it out for the one that the server serves", null);
        }
        BeanFactory found = beans;
        return name.isEmpty() ? found.getBean(NetioPublisher.class) : found.getBean(name, NetioPublisher.class);
    }

    private static KafkaSettingsException missing(String property, String why, String what) {
        return new KafkaSettingsException("Property " + property + " is not set, and " + why, "Set " + property + ", " + what,
                null);
    }

    private static KafkaSettingsException wrong(String property, Object value, String why, String action,
            @Nullable Throwable cause) {
        return new KafkaSettingsException("Property " + property + " is " + value + ": " + why, action, cause);
    }
}
