// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.FramingKind;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.PublisherStatistics;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.pubsub.SubscriberStatistics;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** A publisher with sources that are shared and sources that are not, and who subscribes to them. */
final class Published {
    /** No subscriber of a world is so fast that more would be of use to it. */
    private static final int ADAPTIVE_AT_MOST = 1_024;
    static final int HOT = 100;
    static final int COLD = 110;
    private static final int COLD_TAGS = 3;
    private static final long UNBOUNDED = 1L << 40;
    /** A tag that nobody serves. */
    private static final int UNSERVED = 150;

    private record Each(Step.SubscribeEach step, Probe<TaggedMessage> probe, NetioSubscriber subscriber) {
    }

    private record Subscribing(Step.Subscribe step, Probe<TaggedMessage> probe, Ledger.Reader reader, Shared shared) {
        Tags tags() {
            return step.first() == step.last() ? Tags.of(step.first()) : step.tags();
        }

        boolean isLike(Subscribing other) {
            return shared == other.shared && tags().equals(other.tags());
        }
    }

    /** A subscriber, whose subscriptions share a connection, and what it was told to have missed. */
    private static final class Shared {
        private final Map<Tags, Long> missed = new HashMap<>();
        private final NetioSubscriber subscriber;

        Shared(NetioSubscriber made) {
            subscriber = made.doOnMissed(event -> missed.merge(event.tags(), event.messages(), Long::sum));
        }
    }

    private record Hot(int tag, MessageSource source) {
    }

    private final World world;
    private final VirtualMachine machine;
    private final List<MessageSource> sources = new ArrayList<>();
    private final List<Hot> hots = new ArrayList<>();
    private final Map<MessageSource, Long> colds = new IdentityHashMap<>();
    private final List<Subscribing> subscribings = new ArrayList<>();
    private final Map<Integer, Shared> subscribers = new HashMap<>();
    private final List<Each> eaches = new ArrayList<>();
    private @Nullable NetioPublisher publisher;
    private boolean ended;

    Published(World world) {
        this.world = world;
        this.machine = world.machine();
    }

    NetioServer serve(NetioServer server) {
        Scenario.Setup setup = world.scenario().setup();
        if (setup.framing() != FramingKind.STREAM) {
            return server;
        }
        NetioPublisher known = publisher;
        if (known != null) { // in the place of another server
            return known.serve(server);
        }
        NetioPublisher made = NetioPublisher.builder().whenSlow(setup.policy()).queue(setup.queue())
                .stallTimeout(Patience.LIMIT).build();
        for (int tag = HOT; tag < HOT + 2; tag++) {
            MessageSource source = source(setup.hot(), "hot source " + tag);
            hots.add(new Hot(tag, source));
            made.publish(tag, source);
        }
        made.publish(Labels.ALL, source(setup.hot(), "labelled source").labelled());
        made.publishEach(Tags.range(COLD, COLD + COLD_TAGS - 1), tag -> {
            MessageSource source = source(setup.cold(), "cold source " + tag);
            colds.put(source, tag);
            return source;
        });
        publisher = made;
        return made.serve(server);
    }

    private MessageSource source(MessageSource.Plan plan, String what) {
        MessageSource source = new MessageSource(machine, world.ledger(), plan, what);
        sources.add(source);
        if (ended) {
            source.end();
        }
        return source;
    }

    void subscribe(Step.Subscribe step) {
        if (publisher == null) {
            return;
        }
        Ledger.Reader reader = world.ledger().new Reader(step.toString(), true, step.tags());
        Shared shared = subscriber(step);
        NetioSubscriber subscriber = shared.subscriber;
        Flux<TaggedMessage> messages = isSequenced(step) ? sequenced(step, subscriber)
                : step.first() == step.last() ? subscriber.subscribe(step.first()) : subscriber.subscribe(step.tags());
        Probe<TaggedMessage> probe = new Probe<>(machine, step.toString(), step.demand(), step.batch(), message -> {
            world.guarded().shown(Right.SUBSCRIBE, message.tag(), step);
            reader.read(message.tag(), message.status(), message.payload());
        });
        if (step.cancelAfter() > 0) {
            probe.cancelAfter(step.cancelAfter());
        }
        subscribings.add(new Subscribing(step, probe, reader, shared));
        messages.subscribe(probe);
    }

    /** The tags that are served are not disturbed by the one that is not. */
    void subscribe(Step.SubscribeEach step) {
        if (publisher == null || ended) {
            return;
        }
        Ledger.Reader reader = world.ledger().new Reader(step.toString(), true, Tags.range(HOT, HOT + 1));
        NetioSubscriber subscriber = NetioSubscriber.create(world.client()).reconnect(Retry.fixedDelay(Long.MAX_VALUE,
                Duration.ofMillis(20)));
        Probe<TaggedMessage> probe = new Probe<>(machine, step.toString(), step.demand(), step.batch(),
                message -> reader.read(message.tag(), message.status(), message.payload()));
        eaches.add(new Each(step, probe, subscriber));
        subscriber.subscribe(HOT, HOT + 1, UNSERVED).subscribe(probe);
    }

    private void check(Each each) {
        boolean calm = world.scenario().steps().stream().noneMatch(step -> switch (step) {
            case Step.Stall _, Step.Dispose _, Step.Cut _, Step.Silence _, Step.Corrupt _, Step.Shutdown _, Step.Restart _,
                    Step.EndPublisher _ -> true;
            default -> false;
        });
        if (calm && each.subscriber.statistics().connections() > 1) {
            machine.violated("one connection is enough: " + each.probe + " of " + each.subscriber.statistics());
        }
    }

    /** Half of those who get all messages of a shared source want to know their numbers. */
    private static boolean isSequenced(Step.Subscribe step) {
        return step.first() == step.last() && step.first() >= HOT && step.first() < HOT + 2 && step.batch() % 2 == 0;
    }

    /** Some of these take a few events, and come again: a cancel may overtake what doOnMissed would be told, and its Gap not. */
    private static boolean comesAgain(Step.Subscribe step) {
        return isSequenced(step) && step.batch() % 4 == 0;
    }

    /** The messages, each of which must have the number that its source gave it, and with the gaps leave none out. */
    private Flux<TaggedMessage> sequenced(Step.Subscribe step, NetioSubscriber subscriber) {
        long[] next = {-1};
        Flux<SequencedEvent> events = subscriber.subscribeSequenced(Tags.of(step.first()));
        if (comesAgain(step)) { // and goes on where it was
            events = events.take(5).repeat(3);
        }
        return events.handle((event, sink) -> {
            long first = switch (event) {
                case Gap gap -> gap.from();
                case SequencedMessage message -> message.sequence();
                default -> -1; // there is one publisher in this world
            };
            if (world.ledger().isTrusting() && (first < 0 || next[0] >= 0 && first != next[0])) {
                machine.violated(step + ": " + event + " where number " + next[0] + " is due");
            }
            next[0] = event instanceof Gap gap ? gap.to() + 1 : first + 1;
            if (event instanceof SequencedMessage numbered) {
                ByteBuffer payload = numbered.message().payload();
                if (payload.remaining() >= Ledger.NAMED && world.ledger().isTrusting() && Ledger.number(payload) != first) {
                    machine.violated(step + ": message " + Ledger.number(payload) + " has the number " + first);
                }
                sink.next(numbered.message());
            }
        });
    }

    /** One shares its connection; who wants another policy has another connection. */
    private Shared subscriber(Step.Subscribe step) {
        return subscribers.computeIfAbsent(step.client() * 100 + step.policy() * 2 + (step.reconnect() ? 1 : 0), key -> {
            NetioSubscriber made = NetioSubscriber.create(world.client());
            if (step.policy() < SlowPolicy.values().length) {
                made = made.whenSlow(SlowPolicy.values()[step.policy()]);
            }
            Retry often = Retry.backoff(100, Duration.ofMillis(1)).maxBackoff(Duration.ofMillis(50)).jitter(0);
            return new Shared(step.reconnect() ? made.reconnect(often) : made);
        });
    }

    void unsubscribe(Step.Unsubscribe step) {
        eaches.stream().filter(each -> each.step.client() == step.client()).toList().forEach(each -> each.probe.cancel());
        subscribings.stream().filter(each -> each.step.client() == step.client()).toList()
                .forEach(each -> each.probe.cancel());
    }

    /** How many messages a stream asks for ahead of its subscriber at most. */
    private long mostAhead() {
        int prefetch = world.scenario().setup().prefetch();
        return prefetch == Scenario.Setup.ADAPTIVE ? ADAPTIVE_AT_MOST : prefetch;
    }

    /** A source for one subscriber is asked for no more than that has asked for, and its library may ask for ahead of it. */
    void checkDemand() {
        long ahead = mostAhead();
        colds.forEach((source, tag) -> {
            long most = subscribings.stream().filter(each -> each.step.first() == tag).mapToLong(each -> each.probe.asked())
                    .max().orElse(0);
            for (MessageSource.Run run : source.runs()) {
                if (run.asked() - ahead > most) {
                    machine.violated("generated for nobody: " + run.batch() + " was asked for " + run.asked()
                            + ", its subscribers have asked for " + most);
                }
            }
        });
    }

    /** Who has asked for more than it has, of a source that has more. */
    List<Probe<?>> waitingForShared() {
        return subscribings.stream().filter(each -> each.step.first() < COLD && !each.step.reconnect()
                && each.probe.isSubscribed() && !each.probe.isOver() && !each.probe.isCancelled()
                && each.probe.asked() > each.probe.received())
                .filter(each -> hots.stream().anyMatch(hot -> hot.tag >= each.step.first() && hot.tag <= each.step.last()
                        && hot.source.runs().stream().anyMatch(MessageSource.Run::hasMore)))
                .<Probe<?>>map(Subscribing::probe).toList();
    }

    void drain() {
        ended = true;
        eaches.forEach(this::check);
        eaches.forEach(each -> each.probe.cancel());
        subscribings.forEach(each -> each.probe.askForAll());
        List.copyOf(sources).forEach(MessageSource::end);
    }

    /** Those that go on looking for a server stop. */
    void leave() {
        subscribings.forEach(each -> each.probe.cancel());
    }

    /** Cold sources are done with whoever is there; shared ones end with all they had. */
    void checkSettled() {
        for (Subscribing each : subscribings) {
            Probe<TaggedMessage> probe = each.probe;
            Throwable error = probe.error();
            if (error != null && !world.excuses().explains(each.step, error)) {
                machine.violated("no reason for: " + probe);
            } else if (error != null && probe.received() > 0 && world.excuses().isUnsaidShutdown(error)) {
                machine.violated("not told of the shutdown: " + probe);
            }
            checkLast(each);
            if (isWaiting(each)) {
                machine.violated("nothing goes on: " + probe + ", although its source has ended");
            }
            boolean numbered = each.step.first() == each.step.last() && each.step.first() < Labels.FIRST;
            long dropped = subscribings.stream().filter(other -> other.isLike(each) && other.probe.isCompleted()
                    && !comesAgain(other.step))
                    .mapToLong(other -> other.reader.dropped()).sum();
            long told = each.shared.missed.getOrDefault(each.tags(), 0L);
            if (numbered && dropped > told) {
                machine.violated(probe + ": " + dropped + " messages were dropped, and it was told of " + told);
            }
        }
    }

    /**
     * A source that waits for its subscribers has given them all it had before its failure. Who comes again may come between
     * the last message and the failure, and is told of a gap.
     */
    private void checkLast(Subscribing each) {
        Throwable error = each.probe.error();
        int policy = each.step.policy();
        boolean waits = each.step.first() >= COLD && each.step.first() < COLD + COLD_TAGS
                || policy == SlowPolicy.BACKPRESSURE.ordinal()
                || policy == SlowPolicy.values().length && world.scenario().setup().policy() == SlowPolicy.BACKPRESSURE;
        if (!waits || error == null || !String.valueOf(error.getMessage()).contains(MessageSource.FAILURE)
                || comesAgain(each.step) || each.step.first() != each.step.last() || each.step.first() >= Labels.FIRST) {
            return;
        }
        boolean alone = each.probe.asked() >= UNBOUNDED && eaches.isEmpty()
                && subscribings.stream().filter(other -> other.step.tags().contains(each.step.first())).count() == 1;
        sources.stream().filter(source -> isOf(source, each.step.first()) || !alone).flatMap(source -> source.runs().stream())
                .map(MessageSource.Run::batch).filter(batch -> each.reader.lacksTheLast(batch, !alone))
                .forEach(batch -> machine.violated("the failure overtook the last message of " + batch + ": " + each.probe));
    }

    private boolean isOf(MessageSource source, long tag) {
        return colds.getOrDefault(source, -1L) == tag || hots.stream().anyMatch(hot -> hot.source == source && hot.tag == tag);
    }

    /** Each message that a source was asked for was sent to somebody who asked for it, or is counted. */
    private void checkOwned() {
        NetioPublisher from = publisher;
        if (from == null || world.scenario().setup().policy() != SlowPolicy.BACKPRESSURE || world.excuses().isSilent()) {
            return;
        }
        PublisherStatistics counted = from.statistics();
        long lost = counted.undelivered() + counted.dropped();
        hots.stream().filter(hot -> eaches.isEmpty()).forEach(hot -> checkOwned(hot.source, hot.tag, lost));
        colds.forEach((source, tag) -> checkOwned(source, tag, lost));
    }

    private void checkOwned(MessageSource source, long tag, long lost) {
        long sent = 0;
        for (Subscribing each : subscribings) {
            if (each.step.tags().contains(tag)) {
                if (each.step.reconnect() || comesAgain(each.step) || each.probe.asked() >= UNBOUNDED) {
                    return; // it may have been sent any number
                }
                sent += each.probe.asked() + mostAhead();
            }
        }
        for (MessageSource.Run run : source.runs()) {
            if (run.batch().sizes.size() > sent + lost) {
                machine.violated("without an owner: " + run.batch() + " gave " + run.batch().sizes.size() + ", its subscribers"
                        + " asked for " + sent + ", and " + lost + " are counted");
            }
        }
    }

    private boolean isWaiting(Subscribing each) {
        Probe<TaggedMessage> probe = each.probe;
        boolean refused = each.step.reconnect() && probe.received() == 0 // and tries again, ever later
                && world.excuses().mayBeRefused(each.step);
        return probe.isSubscribed() && !probe.isOver() && !probe.isCancelled() && !isAlone(each) && !refused;
    }

    /** Whether somebody waits for messages, or for the end. */
    boolean isWaiting() {
        return subscribings.stream().anyMatch(this::isWaiting);
    }

    /** How many messages have come to all subscribers. */
    long received() {
        return subscribings.stream().mapToLong(each -> each.probe.received()).sum();
    }

    /** Who has no subscription any more was told of all that was missed, however seldom that is done. */
    private void checkTold(Shared shared) {
        SubscriberStatistics counted = shared.subscriber.statistics();
        long told = shared.missed.values().stream().mapToLong(n -> n).sum();
        boolean over = subscribings.stream().filter(each -> each.shared == shared)
                .allMatch(each -> each.probe.isOver() || each.probe.isCancelled());
        if (over && told != counted.dropped() + counted.missed()) {
            machine.violated("told of " + told + " messages, of " + counted);
        }
    }

    /** Whether it may wait for a source that nobody has subscribed to, or for a connection that is not there. */
    private boolean isAlone(Subscribing each) {
        return world.excuses().isSilent() || world.excuses().isCorrupt()
                || world.scenario().steps().stream().anyMatch(Step.Shutdown.class::isInstance);
    }

    void dispose() {
        NetioPublisher from = publisher;
        ended = true;
        if (from != null) {
            from.dispose();
        }
    }

    void checkEnded() {
        for (Subscribing each : subscribings) {
            if (!each.probe.isOver() && !each.probe.isCancelled() && !isAlone(each)) {
                machine.violated("not told that the publisher has ended: " + each.probe);
            }
        }
        for (Shared shared : subscribers.values()) {
            checkTold(shared);
        }
        checkOwned();
        NetioPublisher from = publisher;
        if (from != null && from.statistics().subscribers() != 0 && !world.excuses().isSilent()) {
            machine.violated("the publisher counts " + from.statistics().subscribers() + " subscribers when all have gone");
        }
        for (MessageSource source : sources) {
            for (MessageSource.Run run : source.runs()) {
                if (!run.isDone() && !world.excuses().isSilent()) {
                    machine.violated("not let go at the end: " + run.batch());
                }
            }
        }
    }
}
