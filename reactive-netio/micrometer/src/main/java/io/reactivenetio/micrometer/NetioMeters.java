// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.api.NetioStatistics;
import io.reactivenetio.api.Network;
import io.reactivenetio.api.RequestSide;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.loop.LoopStatistics;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.PublisherStatistics;
import io.reactivenetio.pubsub.SubscriberStatistics;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Shows figures of this library to Micrometer. docs/guide.md has a table of all meters. Each method makes a binder, whose
 * {@code bindTo} may be called before there is any connection. Give each object {@code tags} of its own: of two meters with the
 * same name and tags in one registry Micrometer keeps the first.
 *
 * <p>A registry does not keep the objects that are shown: when one is gone, its gauges give NaN and its counters what they gave
 * last. An object that was disposed of, and is still there, gives 0 for what is now and keeps its counts. Nothing is called for a
 * message. Timers of requests are recorded when a request ends, until the registry is closed.
 */
public final class NetioMeters {
    private static final String TCP = "tcp";
    private static final String VERBS = "verbs";
    /** Any other provider of libfabric. */
    private static final String LIBFABRIC = "libfabric";

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private NetioMeters() {
    }

    /**
     * Shows the connections of the servers and clients that have these {@code metrics}, as {@code netio.connections} and others,
     * and their requests, as {@code netio.requests} and {@code netio.requests.active}.
     */
    public static MeterBinder of(NetioMetrics metrics, Iterable<Tag> tags) {
        Tags all = Tags.of(tags);
        return registry -> {
            Meters<NetioMetrics, NetioStatistics> meters = new Meters<>(registry, metrics, NetioMetrics::statistics, all);
            messages(meters);
            buffers(meters);
            meters.with("side", lower(RequestSide.REQUESTER)).gauge("netio.requests.active", "requests",
                    "Requests that are not ended now", s -> s.requests().underWay());
            meters.with("side", lower(RequestSide.RESPONDER)).gauge("netio.requests.active", "requests",
                    "Requests that are not ended now", s -> s.responses().underWay());
            metrics.addListener(new RequestTimers(registry, all, metrics));
        };
    }

    private static void messages(Meters<NetioMetrics, NetioStatistics> meters) {
        meters.counter("netio.connections.opened", "connections", "Connections that were ever established",
                NetioStatistics::connectionsOpened);
        for (String kind : List.of(TCP, VERBS, LIBFABRIC)) {
            meters.with("network", kind).gauge("netio.connections", "connections", "Connections that are open now",
                    s -> s.networks().entrySet().stream().filter(network -> kind(network.getKey()).equals(kind))
                            .mapToInt(Map.Entry::getValue).sum());
        }
        meters.counter("netio.received.messages", "messages", "Messages that arrived", s -> s.total().receivedMessages());
        meters.counter("netio.received.bytes", "bytes", "Bytes in the messages that arrived", s -> s.total().receivedBytes());
        meters.counter("netio.sent.messages", "messages", "Messages given to the provider", s -> s.total().sentMessages());
        meters.counter("netio.sent.bytes", "bytes", "Bytes in the messages given to the provider", s -> s.total().sentBytes());
        meters.counter("netio.no.resources", "stalls", "How often sending found no free buffer", s -> s.total().noResources());
        meters.counter("netio.discarded.messages", "messages", "Messages that arrived and were given to nobody",
                s -> s.total().discardedMessages());
    }

    private static String kind(Network network) {
        return network.equals(Network.PLAIN_TCP) ? TCP : network.isRdma() ? VERBS : LIBFABRIC;
    }

    private static void buffers(Meters<NetioMetrics, NetioStatistics> meters) {
        meters.gauge("netio.credits", "buffers", "Receive buffers", s -> s.total().credits());
        meters.gauge("netio.credits.in.use", "buffers", "Messages, or pages, that wait for demand now",
                s -> s.total().creditsInUse());
        meters.gauge("netio.leased.buffers", "buffers", "Receive buffers that leases hold now", s -> s.total().leasedBuffers());
        meters.gauge("netio.leased.copies", "messages", "Leases that hold a copy now", s -> s.total().leasedCopies());
        meters.counter("netio.lease.copies", "messages", "Copies made because leases held all they may",
                s -> s.total().leaseCopies());
    }

    /** Shows each of these loops, as {@code netio.loop.busy} and others, which have a tag with its name. */
    public static MeterBinder of(NetioLoops loops, Iterable<Tag> tags) {
        Tags all = Tags.of(tags);
        return registry -> loops.statistics().forEach(loop ->
                loop(new Meters<>(registry, loop, Function.identity(), all.and("loop", loop.name()))));
    }

    private static void loop(Meters<LoopStatistics, LoopStatistics> meters) {
        meters.counter("netio.loop.busy", "seconds", "Time in which the loop was at work", s -> s.busyNanos() / NANOS);
        meters.counter("netio.loop.spun", "seconds", "Time in which it looked for work in vain", s -> s.spunNanos() / NANOS);
        meters.counter("netio.loop.turns", "turns", "Turns", LoopStatistics::turns);
        meters.counter("netio.loop.slow.turns", "turns", "Turns that took too long", LoopStatistics::slowTurns);
        meters.counter("netio.loop.tasks", "tasks", "Tasks that were run", LoopStatistics::tasksRun);
        meters.counter("netio.loop.wakeups", "wakeups", "How often another thread found it asleep",
                LoopStatistics::wakeUpsWritten);
        meters.counter("netio.loop.failures", "failures", "Exceptions thrown by callbacks", LoopStatistics::userExceptions);
        meters.gauge("netio.loop.inbox", "tasks", "Tasks that wait for the loop now", LoopStatistics::inboxLength);
    }

    /** Shows what this subscriber gets, as {@code netio.subscriber.received} and others. */
    public static MeterBinder of(NetioSubscriber subscriber, Iterable<Tag> tags) {
        Tags all = Tags.of(tags);
        return registry -> subscriber(new Meters<>(registry, subscriber, NetioSubscriber::statistics, all));
    }

    static void subscriber(Meters<?, SubscriberStatistics> meters) {
        meters.counter("netio.subscriber.received", "messages", "Messages received", SubscriberStatistics::received);
        meters.counter("netio.subscriber.received.bytes", "bytes", "Bytes in them", SubscriberStatistics::receivedBytes);
        meters.counter("netio.subscriber.dropped", "messages", "Messages the publisher dropped, as this side was slow",
                SubscriberStatistics::dropped);
        meters.counter("netio.subscriber.missed", "messages", "Messages published or lost while there was no connection",
                SubscriberStatistics::missed);
        meters.counter("netio.subscriber.run.changes", "changes", "How often a source was found to have begun anew",
                SubscriberStatistics::runChanges);
        meters.gauge("netio.subscriber.slow", "subscriptions", "Subscriptions that are slow, as the publisher says",
                SubscriberStatistics::slow);
        meters.gauge("netio.subscriber.waiting", "messages", "Messages that wait for these at the publisher",
                SubscriberStatistics::waiting);
        meters.counter("netio.subscriber.reconnects", "reconnects", "How often it has connected again",
                SubscriberStatistics::reconnects);
        meters.counter("netio.subscriber.reconnect.attempts", "attempts", "How often it has tried to connect again",
                SubscriberStatistics::reconnectAttempts);
        meters.gauge("netio.subscriber.subscriptions", "subscriptions", "Subscriptions that are active now",
                SubscriberStatistics::subscriptions);
        meters.gauge("netio.subscriber.connected", null, "1 while it is connected, else 0", s -> s.connected() ? 1 : 0);
        meters.gauge("netio.subscriber.last.message.age", "seconds", "Time since the last message; NaN before the first",
                s -> seconds(s.sinceLastMessage()));
    }

    private static double seconds(@Nullable Duration time) {
        return time == null ? Double.NaN : time.toNanos() / NANOS;
    }

    /** Shows what this publisher publishes, and how its subscribers keep up, as {@code netio.publisher.published} and others. */
    public static MeterBinder of(NetioPublisher publisher, Iterable<Tag> tags) {
        Tags all = Tags.of(tags);
        return registry -> publisher(new Meters<>(registry, publisher, NetioPublisher::statistics, all));
    }

    static void publisher(Meters<?, PublisherStatistics> meters) {
        meters.counter("netio.publisher.published", "messages", "Messages that its sources have published",
                PublisherStatistics::published);
        meters.with("policy", lower(SlowPolicy.DROP_NEWEST)).counter("netio.publisher.dropped", "messages",
                "Messages dropped, for each subscription", PublisherStatistics::droppedNewest);
        meters.with("policy", lower(SlowPolicy.DROP_OLDEST)).counter("netio.publisher.dropped", "messages",
                "Messages dropped, for each subscription", PublisherStatistics::droppedOldest);
        meters.counter("netio.publisher.undelivered", "messages",
                "Messages taken from a source that no subscription got or will get", PublisherStatistics::undelivered);
        meters.gauge("netio.publisher.kept", "messages", "Messages kept now for the next subscription",
                PublisherStatistics::kept);
        meters.counter("netio.publisher.too.slow", "subscriptions", "Subscriptions ended because they were too slow",
                PublisherStatistics::tooSlow);
        meters.gauge("netio.publisher.subscriptions", "subscriptions", "Subscriptions that are open now",
                PublisherStatistics::subscribers);
        meters.gauge("netio.publisher.slow", "subscriptions", "Those with a queue that is more than half full now",
                PublisherStatistics::slow);
        meters.gauge("netio.publisher.queue.waiting", "messages", "Messages that wait in all queues now",
                PublisherStatistics::waiting);
        meters.gauge("netio.publisher.queue.capacity", "messages", "What these queues have room for",
                PublisherStatistics::capacity);
        meters.gauge("netio.publisher.queue.fullest", "ratio", "How full the fullest queue is now, from 0 to 1",
                PublisherStatistics::fullest);
    }

    /** A constant as the value of a tag. */
    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
