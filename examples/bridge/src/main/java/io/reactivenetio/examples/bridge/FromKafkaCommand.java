// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.HostPort;
import io.reactivenetio.examples.cli.NetworkOptions;
import io.reactivenetio.examples.cli.ServedPublisher;
import io.reactivenetio.examples.cli.SlowOption;
import io.reactivenetio.examples.cli.StatusLine;
import io.reactivenetio.examples.cli.TagChoice;
import io.reactivenetio.kafka.KafkaSourceStatistics;
import io.reactivenetio.kafka.NetioKafkaSource;
import io.reactivenetio.pubsub.NetioPublisher;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Publishes what is in a topic. */
@Command(name = "from-kafka", description = "Publishes the messages of a topic of Kafka, with their tags and in their order, to"
        + " all who subscribe. Ends when all that was there at the start is published and the subscribers have gone; with"
        + " --follow, with Ctrl-C.")
public final class FromKafkaCommand implements Callable<Integer> {
    private static final double NANOS = 1e9;

    @Option(names = "--listen", paramLabel = "HOST:PORT", required = true, converter = HostPort.Converter.class,
            description = "Where to listen. Port 0 finds a free one; stderr says which.")
    private @Nullable HostPort listen;

    @Option(names = "--tags", paramLabel = "TAGS", converter = TagChoice.Converter.class,
            description = "What to publish, as one choice: 7, 10-20 or 0x1200/0xff00. Messages with other tags are left out."
                    + " Default: all, as 0/0.")
    private TagChoice tags = new TagChoice(Tags.masked(0, 0));

    @Option(names = "--from", paramLabel = "WHERE", defaultValue = "beginning",
            description = "beginning, end, or a time such as 2026-11-23T22:00:00Z. Default: ${DEFAULT-VALUE}.")
    private String from = "beginning";

    @Option(names = "--follow", description = "Go on with what comes later.")
    private boolean follow;

    @Option(names = "--speed", paramLabel = "FACTOR", description = "At the original pace, times this. Default: as fast as"
            + " possible.")
    private @Nullable Double speed;

    @Option(names = "--rate", paramLabel = "N", description = "So many messages per second.")
    private @Nullable Double rate;

    @Option(names = "--subscribers", paramLabel = "N", defaultValue = "1",
            description = "Begin when there are so many. Default: ${DEFAULT-VALUE}.")
    private int subscribers = 1;

    @Option(names = "--when-slow", paramLabel = "POLICY", defaultValue = "backpressure", converter = SlowOption.class,
            description = "What happens when a subscriber's queue is full: " + SlowOption.NAMES + ". Default: ${DEFAULT-VALUE}.")
    private SlowPolicy whenSlow = SlowPolicy.BACKPRESSURE;

    @Option(names = "--json", description = "Report as one JSON object on stdout.")
    private boolean json;

    @Mixin
    private KafkaOptions kafka = new KafkaOptions();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    /** Called by picocli. */
    public FromKafkaCommand() {
    }

    @Override
    public Integer call() {
        if (subscribers < 1) {
            throw CliException.usage("--subscribers must be at least 1: " + subscribers);
        }
        NetioKafkaSource source = source();
        NetioPublisher publisher = NetioPublisher.create(whenSlow, NetioPublisher.DEFAULT_QUEUE);
        long begun = System.nanoTime();
        try (Interruptible interruptible = new Interruptible()) {
            try (StatusLine _ = StatusLine.of(() -> status(source, publisher, begun), !json)) {
                run(source, publisher, interruptible.asked());
            } finally {
                summary(source.statistics(), publisher, (System.nanoTime() - begun) / NANOS).print(json);
            }
        }
        return 0;
    }

    private NetioKafkaSource source() {
        if (speed != null && rate != null) {
            throw CliException.usage("--speed and --rate: one of the two");
        }
        try {
            NetioKafkaSource source = NetioKafkaSource.create(kafka.bootstrap()).topics(kafka.topic());
            for (var property : kafka.properties().entrySet()) {
                source = source.property(property.getKey(), property.getValue());
            }
            source = switch (from) {
                case "beginning" -> source.fromBeginning();
                case "end" -> source.fromEnd();
                default -> source.fromTime(Instant.parse(from));
            };
            source = follow ? source : source.toPresentEnd();
            Double factor = speed;
            source = factor == null ? source : source.atSpeed(factor);
            Double perSecond = rate;
            return perSecond == null ? source : source.atRate(perSecond);
        } catch (DateTimeParseException e) {
            throw CliException.usage("--from: '" + from + "' is not beginning, end, or a time such as 2026-11-23T22:00:00Z");
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    private void run(NetioKafkaSource source, NetioPublisher publisher, Mono<Void> stop) {
        Sinks.Empty<Void> published = Sinks.empty();
        Flux<TaggedMessage> messages = source.messages().filter(message -> tags.tags().contains(message.tag()))
                .takeUntilOther(stop)
                .doOnError(published::tryEmitError).doOnComplete(published::tryEmitEmpty)
                .delaySubscription(ServedPublisher.subscribers(publisher, subscribers).takeUntilOther(stop));
        publisher.publish(tags.tags(), messages);
        HostPort where = Objects.requireNonNull(listen);
        try (ServedPublisher served = new ServedPublisher(publisher, network.server(where))) {
            Mono.firstWithSignal(published.asMono(), stop).block();
            Mono.firstWithSignal(served.left(), stop).block();
        }
    }

    private static String status(NetioKafkaSource source, NetioPublisher publisher, long begun) {
        KafkaSourceStatistics now = source.statistics();
        return String.format(Locale.ROOT, "%,d published  %,.0f/s  %.1f MB  lag %,d  %d subscribers  %d dropped", now.emitted(),
                now.emitted() / ((System.nanoTime() - begun) / NANOS), now.bytes() / 1e6, now.lag(),
                publisher.statistics().subscribers(), publisher.statistics().dropped());
    }

    private static Summary summary(KafkaSourceStatistics all, NetioPublisher publisher, double seconds) {
        return new Summary().with("messages", all.emitted()).with("bytes", all.bytes()).withTime(seconds, all.emitted())
                .with("published", publisher.statistics().published()).with("dropped", publisher.statistics().dropped());
    }
}
