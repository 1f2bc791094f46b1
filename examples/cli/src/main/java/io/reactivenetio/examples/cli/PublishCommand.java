// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.NetioPublisher;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Publishes a file, or stdin, under a tag, and ends when all of it is published and the subscribers have gone. */
@Command(name = "publish", description = "Publish a file as messages with a tag, to all who subscribe. Ends when everything is"
        + " published and the subscribers have gone.")
public final class PublishCommand implements Callable<Integer> {
    @Option(names = "--listen", paramLabel = "HOST:PORT", required = true, converter = HostPort.Converter.class,
            description = "Where to listen. Port 0 finds a free one; stderr says which.")
    private @Nullable HostPort listen;

    @Option(names = "--tag", paramLabel = "N", required = true, description = "The tag of the messages, such as 7 or 0x1f.")
    private String tag = "";

    @Parameters(paramLabel = "FILE", description = "What to publish; - is stdin.")
    private String file = "-";

    @Option(names = "--message-size", paramLabel = "BYTES", description = "Size of a message, at most 67108864."
            + " Default: what fits a buffer of --buffer-size.")
    private @Nullable Integer messageSize;

    @Option(names = "--subscribers", paramLabel = "N", defaultValue = "1",
            description = "Begin when there are so many. Default: ${DEFAULT-VALUE}.")
    private int subscribers = 1;

    @Option(names = "--when-slow", paramLabel = "POLICY", defaultValue = "backpressure", converter = SlowOption.class,
            description = "What happens when a subscriber's queue is full: " + SlowOption.NAMES + ". Default: ${DEFAULT-VALUE}.")
    private SlowPolicy whenSlow = SlowPolicy.BACKPRESSURE;

    @Option(names = "--queue", paramLabel = "N", defaultValue = "64",
            description = "Messages that wait for each subscriber. Default: ${DEFAULT-VALUE}.")
    private int queue = 64;

    @Mixin
    private StreamOptions options = new StreamOptions();

    /** Called by picocli. */
    public PublishCommand() {
    }

    @Override
    public Integer call() throws Exception {
        options.check();
        TransferOptions.atLeastOne("--subscribers", subscribers);
        TransferOptions.atLeastOne("--queue", queue);
        TransferOptions.checkMessageSize(messageSize == null ? 1 : messageSize);
        long number = tagNumber();
        Tally tally = new Tally();
        int size = messageSize == null ? options.wholeMessage() : messageSize;
        try (MessageSource source = MessageSource.open(file, size, tally)) {
            NetioPublisher publisher = publisher();
            long noResources = run(publisher, number, source, tally);
            print(tally.report(noResources, 0).with("dropped", publisher.statistics().dropped()));
        }
        return 0;
    }

    private NetioPublisher publisher() {
        try {
            return NetioPublisher.create(whenSlow, queue);
        } catch (IllegalArgumentException e) {
            throw CliException.usage("--queue: " + e.getMessage());
        }
    }

    private long tagNumber() {
        try {
            return TagChoice.number(tag);
        } catch (NumberFormatException e) {
            throw CliException.usage("--tag: '" + tag + "' is not a number of 64 bits such as 7 or 0x1f");
        }
    }

    /** Returns how often sending stopped for want of resources. */
    private long run(NetioPublisher publisher, long number, MessageSource source, Tally tally) {
        Sinks.Empty<Void> published = Sinks.empty();
        Flux<ByteBuffer> messages = source.messages(Schedulers.newSingle("netio-reader", true))
                .doOnSubscribe(subscription -> tally.start())
                .doOnError(published::tryEmitError).doOnComplete(published::tryEmitEmpty)
                .delaySubscription(ServedPublisher.subscribers(publisher, subscribers));
        try (ServedPublisher served = new ServedPublisher(publisher.publish(number, messages), server());
                StatusLine _ = StatusLine.of(tally::progress, !options.json())) {
            published.asMono().block();
            served.left().block();
            return served.noResources();
        }
    }

    private NetioServer server() {
        HostPort where = Objects.requireNonNull(listen);
        return options.network(NetioServer.create()).host(where.host()).port(where.port())
                .sendBuffers(options.bufferSize(), options.buffers()).receiveBuffers(options.smallBuffer(), 1);
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private void print(Report report) {
        System.out.println(options.json() ? report.json() : report.text());
    }
}
