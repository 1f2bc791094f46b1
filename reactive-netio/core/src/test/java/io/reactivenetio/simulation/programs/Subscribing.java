// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.simulation.Probe;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** What a program subscribes to. */
final class Subscribing {
    private static final Retry OFTEN = Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(1))
            .maxBackoff(Duration.ofSeconds(1)).jitter(0);

    private final ProgramWorld world;
    private final Map<String, NetioSubscriber> subscribers = new LinkedHashMap<>();
    private final List<Probe<Object>> probes = new ArrayList<>();
    private final Pipelines pipelines = new Pipelines(this::flow);
    /** One for each subscription to something of the library's. */
    final List<InTap<?>> taps = new ArrayList<>();
    /** Messages of which a Gap said that they are missing. */
    long gaps;

    Subscribing(ProgramWorld world) {
        this.world = world;
    }

    void run(Node statement) {
        Probe<Object> probe = new Probe<>(world.machine, statement.toString(), Probe.Demand.values()[statement.number(1)],
                statement.number(2), value -> { });
        if (statement.number(3) > 0) {
            probe.cancelAfter(statement.number(3));
        }
        probes.add(probe);
        flow(statement.kids().getFirst()).subscribe(probe);
    }

    void cancel(int number) {
        if (number < probes.size()) {
            probes.get(number).cancel();
        }
    }

    /** Whoever has asked for some asks for all. */
    void drain() {
        probes.forEach(Probe::askForAll);
    }

    void cancelAll() {
        probes.forEach(Probe::cancel);
    }

    Map<String, NetioSubscriber> subscribers() {
        return subscribers;
    }

    private NetioSubscriber subscriber(Node flow) {
        String kind = flow.word() + " " + flow.numbers();
        return subscribers.computeIfAbsent(kind, key -> {
            NetioSubscriber made = NetioSubscriber.create(world.client());
            return switch (flow.word()) {
                case RECONNECTING -> made.reconnect(OFTEN);
                case TOLD -> made.whenSlow(SlowPolicy.DROP_NEWEST)
                        .doOnMissed(missed -> Throwing.of(flow.number(1)).go());
                case FLOW -> flow.number(1) == 0 ? made
                        : made.whenSlow(flow.number(1) == 1 ? SlowPolicy.DROP_NEWEST : SlowPolicy.DROP_OLDEST);
                default -> made;
            };
        });
    }

    static long[] tags(Node flow) {
        return Sending.isReceive(flow) ? new long[] {Sending.keyOfReceive(flow)}
                : flow.kids(false).stream().mapToLong(tag -> tag.number(0)).toArray();
    }

    @SuppressWarnings("unchecked") // cast() would keep operators from polling
    private Flux<Object> flow(Node flow) {
        Flux<Object> messages = (Flux<Object>) (Sending.isReceive(flow) ? world.sending.receive(flow) : subscribed(flow));
        Flux<Object> tapped = InTap.of(messages, world.machine, flow, taps, value -> arrived(flow, value));
        return pipelines.behind(tapped, flow);
    }

    private Flux<?> subscribed(Node flow) {
        NetioSubscriber subscriber = subscriber(flow);
        long[] tags = tags(flow);
        return switch (flow.word()) {
            case SEQUENCED -> subscriber.subscribeSequenced(Tags.of(tags[0]), start -> Throwing.of(flow.number(1)).go());
            case DECODED -> Flux.defer(() -> {
                AtomicInteger count = new AtomicInteger();
                return subscriber.subscribe((tag, status, payload) -> decode(flow, count, payload), tags);
            });
            default -> subscriber.subscribe(tags);
        };
    }

    private ByteBuffer decode(Node flow, AtomicInteger count, ByteBuffer payload) {
        if (flow.number(1) > 0 && count.getAndIncrement() == flow.number(2)) {
            world.publishing.given.refused(payload);
            Throwing.of(flow.number(1)).go();
        }
        return ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
    }

    private void arrived(Node flow, Object value) {
        world.machine.countMessage();
        switch (value) {
            case TaggedMessage message -> world.publishing.given.arrived(message.payload(), flow.toString());
            case SequencedMessage message -> world.publishing.given.arrived(message.message().payload(), flow.toString());
            case ByteBuffer payload -> world.publishing.given.arrived(payload, flow.toString());
            case List<?> batch -> batch.forEach(each -> world.publishing.given.arrived((ByteBuffer) each, flow.toString()));
            case Gap gap -> gaps += gap.to() - gap.from() + 1;
            default -> {
            }
        }
    }
}
