// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.api.Tags;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.StatusLine;
import io.reactivenetio.kafka.KafkaPosition;
import io.reactivenetio.kafka.KafkaSinkStatistics;
import io.reactivenetio.kafka.NetioKafkaSink;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/** Writes what a publisher publishes to a topic. */
@Command(name = "to-kafka", description = "Writes the messages of a publisher to a topic of Kafka, and goes on behind what is"
        + " there already. Ends when the publisher's streams are complete, or with Ctrl-C, when all it has taken is in Kafka.")
public final class ToKafkaCommand implements Callable<Integer> {
    private static final int IN_TRANSACTION = 1_000;
    private static final Duration OF_TRANSACTION = Duration.ofMillis(500);
    private static final double NANOS = 1e9;

    @Option(names = "--count", paramLabel = "N", description = "Stop after this many messages.")
    private @Nullable Long count;

    @Option(names = "--rate", paramLabel = "N", description = "Take no more than this many messages per second.")
    private @Nullable Double rate;

    @Option(names = "--from-now", description = "Do not look in the topic for the last message, and do not count what was"
            + " missed since.")
    private boolean fromNow;

    @Option(names = "--transactional", paramLabel = "ID",
            description = "Write in transactions of 1000 messages or half a second.")
    private @Nullable String transactional;

    @Option(names = "--skip-too-large", description = "Leave out and count messages that Kafka does not take. Default: fail.")
    private boolean skipTooLarge;

    @Option(names = "--in-flight", paramLabel = "N", defaultValue = "" + NetioKafkaSink.DEFAULT_IN_FLIGHT,
            description = "Messages that are taken and not acknowledged at most. Default: ${DEFAULT-VALUE}.")
    private int inFlight = NetioKafkaSink.DEFAULT_IN_FLIGHT;

    @Option(names = "--timestamp-at", paramLabel = "OFFSET:UNIT", converter = TimestampOption.Converter.class,
            description = "Where payloads have the time that records get: 8 bytes at this offset, big-endian, since 1970 in s,"
                    + " ms, us or ns: 16:ns for instance, 16:ns:little if they are little-endian. Default: when messages come.")
    private @Nullable TimestampOption timestamp;

    @Option(names = "--json", description = "Report as one JSON object on stdout.")
    private boolean json;

    @Mixin
    private KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private PublisherOptions publisher = new PublisherOptions();

    /** Called by picocli. */
    public ToKafkaCommand() {
    }

    @Override
    public Integer call() {
        if (count != null && count < 1 || rate != null && !(rate > 0 && rate < Double.POSITIVE_INFINITY)) {
            throw CliException.usage("--count and --rate must be more than 0");
        }
        if (rate != null && rate > Throttle.MOST) {
            throw CliException.usage("--rate: at most " + (long) Throttle.MOST + " messages per second can be counted: " + rate);
        }
        NetioSubscriber subscriber = publisher.subscriber();
        NetioKafkaSink sink = sink();
        long begun = System.nanoTime();
        try (Interruptible interruptible = new Interruptible()) {
            try (StatusLine _ = StatusLine.of(() -> status(sink, begun), !json)) {
                sink.send(events(subscriber, sink).takeUntilOther(interruptible.asked())).then().block();
            } finally {
                summary(sink.statistics(), (System.nanoTime() - begun) / NANOS).print(json);
            }
        }
        return 0;
    }

    private NetioKafkaSink sink() {
        try {
            NetioKafkaSink sink = NetioKafkaSink.create(kafka.bootstrap()).topic(kafka.topic())
                    .inFlight(inFlight, NetioKafkaSink.DEFAULT_IN_FLIGHT_BYTES);
            for (var property : kafka.properties().entrySet()) {
                sink = sink.property(property.getKey(), property.getValue());
            }
            sink = skipTooLarge ? sink.skipTooLarge() : sink;
            TimestampOption time = timestamp;
            sink = time == null ? sink : sink.timestampAt(time.offset(), time.order(), time.unit());
            String id = transactional;
            return id == null ? sink : sink.transactional(id, IN_TRANSACTION, OF_TRANSACTION);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    private Flux<SequencedEvent> events(NetioSubscriber subscriber, NetioKafkaSink sink) {
        Flux<SequencedEvent> all = Flux.merge(Flux.fromIterable(publisher.tags()).map(one -> events(subscriber, sink, one)),
                publisher.tags().size());
        Long most = count;
        if (most != null) {
            long[] left = {most};
            all = all.takeUntil(event -> event instanceof SequencedMessage && --left[0] == 0);
        }
        Double perSecond = rate;
        return perSecond == null ? all : Throttle.to(all, perSecond);
    }

    private Flux<SequencedEvent> events(NetioSubscriber subscriber, NetioKafkaSink sink, Tags one) {
        return fromNow ? subscriber.subscribeSequenced(one)
                : sink.lastPosition(one).doOnNext(found -> tell(one, found))
                        .map(found -> subscriber.subscribeSequenced(one, found.position()))
                        .defaultIfEmpty(subscriber.subscribeSequenced(one))
                        .flatMapMany(chosen -> chosen);
    }

    @SuppressWarnings("SystemOut") // beside the result
    private void tell(Tags one, KafkaPosition found) {
        System.err.printf(Locale.ROOT, "%s: the topic ends with message %d of run %016x%s%n", one, found.position().sequence(),
                found.position().run(), found.missing().isEmpty() ? ""
                        : "; " + found.missingMessages() + " of the last ones before it are missing");
    }

    private static String status(NetioKafkaSink sink, long begun) {
        KafkaSinkStatistics now = sink.statistics();
        return String.format(Locale.ROOT, "%,d in Kafka  %,.0f/s  %.1f MB  %d in flight  %d missed", now.acknowledged(),
                now.acknowledged() / ((System.nanoTime() - begun) / NANOS), now.bytes() / 1e6, now.inFlight(), now.missed());
    }

    private static Summary summary(KafkaSinkStatistics all, double seconds) {
        return new Summary().with("messages", all.acknowledged()).with("bytes", all.bytes())
                .withTime(seconds, all.acknowledged()).with("missed", all.missed()).with("gaps", all.gaps())
                .with("new runs", all.runs()).with("too large", all.tooLarge()).with("not known", all.failed() - all.tooLarge())
                .with("transactions", all.transactions());
    }
}
