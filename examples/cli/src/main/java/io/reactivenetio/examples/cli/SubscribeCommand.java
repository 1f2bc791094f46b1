// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SubscriberStatistics;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** Subscribes to tags of a publisher and writes what it gets. */
@Command(name = "subscribe", description = "Receive the messages with some tags from netio publish and write them to a file.")
public final class SubscribeCommand implements Callable<Integer> {
    private static final Duration BETWEEN = Duration.ofMillis(200);

    @Option(names = "--to", paramLabel = "HOST:PORT", required = true, converter = HostPort.Converter.class,
            description = "Where netio publish listens.")
    private @Nullable HostPort to;

    @Option(names = "--tag", paramLabel = "TAGS", required = true, split = ",", converter = TagChoice.Converter.class,
            description = "Which messages: 7, 0x1f, 10-20, or 0x1200/0xff00, a value and its mask; several with commas.")
    private List<TagChoice> tags = new ArrayList<>();

    @Option(names = "--out", paramLabel = "FILE",
            description = "Where to write; - is stdout, the report is then on stderr, and cannot be --json."
                    + " Default: count and hash only.")
    private @Nullable String out;

    @Option(names = "--count", paramLabel = "N", description = "Stop after this many messages.")
    private @Nullable Long count;

    @Option(names = "--limit-rate", paramLabel = "N", description = "Receive no more than this many messages per second.")
    private @Nullable Double limitRate;

    @Option(names = "--when-slow", paramLabel = "POLICY", converter = SlowOption.class,
            description = "What the publisher is to do when this side is slow: " + SlowOption.NAMES + ". Default: its choice;"
                + " backpressure only if that is its choice too.")
    private @Nullable SlowPolicy whenSlow;

    @Option(names = "--reconnect", paramLabel = "SECONDS",
            description = "Connect and subscribe again for so long when the connection is lost. Default: fail.")
    private @Nullable Integer reconnect;

    @Mixin
    private StreamOptions options = new StreamOptions();

    /** Called by picocli. */
    public SubscribeCommand() {
    }

    @Override
    public Integer call() {
        options.check();
        TransferOptions.atLeastOne("--count", count == null ? 1 : count);
        TransferOptions.atLeastOne("--reconnect", reconnect == null ? 1 : reconnect);
        if (limitRate != null && !(limitRate > 0 && limitRate < Double.POSITIVE_INFINITY)) {
            throw CliException.usage("--limit-rate must be more than 0: " + limitRate);
        }
        boolean toStdout = MessageFile.STDOUT.equals(out);
        if (toStdout && options.json()) {
            throw CliException.usage("--json and --out - both need stdout; write to a file, or leave --json out");
        }
        try (MessageFile file = MessageFile.open(out)) {
            Report report = receive(subscriber(), file);
            print(options.json() ? report.json() : report.text(), toStdout);
        }
        return 0;
    }

    private NetioSubscriber subscriber() {
        HostPort target = Objects.requireNonNull(to);
        if (target.port() == 0) {
            throw CliException.usage("--to: nobody can listen on port 0");
        }
        NetioSubscriber subscriber = NetioSubscriber.create(options.network(NetioClient.create())
                .host(target.host()).port(target.port())
                .receiveBuffers(options.bufferSize(), options.buffers()).sendBuffers(options.smallBuffer(), 1));
        SlowPolicy wished = whenSlow;
        subscriber = wished == null ? subscriber : subscriber.whenSlow(wished);
        Integer seconds = reconnect;
        return seconds == null ? subscriber : subscriber.reconnect(Retry
                .fixedDelay(1_000L * seconds / BETWEEN.toMillis(), BETWEEN).transientErrors(true)
               .onRetryExhaustedThrow((spec, signal) -> signal.failure()));
    }

    private Report receive(NetioSubscriber subscriber, MessageFile file) {
        Tally tally = new Tally();
        HandOver handOver = new HandOver(options.bufferSize(), options.buffers());
        Scheduler worker = Schedulers.newSingle("netio-writer", true);
        MessageWriter writer = new MessageWriter(file, handOver, tally,
                limitRate == null ? null : new Pace(limitRate, System.nanoTime()), worker);
        Flux<TaggedMessage> messages = Flux.merge(Flux.fromIterable(tags).map(choice -> subscriber.subscribe(choice.tags())),
                tags.size(), 1);
        messages = tags.size() == 1 ? subscriber.subscribe(tags.getFirst().tags()) : messages;
        try (StatusLine _ = StatusLine.of(tally::progress, !options.json())) {
            Flux<TaggedMessage> wanted = count == null ? messages : messages.take(count);
            handOver.through(wanted.map(message -> handOver.copy(message.payload())), worker).subscribe(writer);
            writer.done().block();
        } catch (NetioAbortedException e) {
            throw CliException.failure(e.getMessage() + ", after " + tally.messages() + " messages and " + tally.bytes()
                    + " bytes", e);
        }
        SubscriberStatistics statistics = subscriber.statistics();
        return tally.report(0, handOver.maxBytes()).with("dropped", statistics.dropped()).with("missed", statistics.missed());
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private static void print(String report, boolean toStderr) {
        (toStderr ? System.err : System.out).println(report);
    }
}
