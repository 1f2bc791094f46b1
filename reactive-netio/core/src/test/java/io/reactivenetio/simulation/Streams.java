// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.FramingKind;
import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.simulation.Step.Side;
import io.reactivenetio.transport.SendCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What is sent and received on connections and their streams, and what must become of it. */
final class Streams {
    /** A tag that nobody sends to. */
    private static final int UNSERVED = 60;
    private static final long GIVE_UP_NANOS = 100_000;
    private static final long HOLD_NANOS = 2_000_000;
    private static final int MOST_RETRIES = 500;

    private record Receiving(Step.Receive step, Probe<Object> probe, List<Ledger.Reader> readers) {
        boolean isLive() {
            return probe.isSubscribed() && !probe.isOver() && !probe.isCancelled();
        }
    }

    private record Sending(Step.Send step, MessageSource source, Probe<Object> probe) {
        /** Whether some of its messages are with the library, and there is more to come. */
        boolean isUnderWay() {
            boolean once = step.after() != Step.After.RETRY && step.after() != Step.After.SEND_AGAIN;
            return once && !probe.isOver() && !probe.isCancelled() && !source.runs().isEmpty()
                    && !source.runs().getLast().batch().sizes.isEmpty() && !source.runs().getLast().isDone();
        }
    }

    private record Completing(Step.Complete step, Probe<Object> probe) {
    }

    private final World world;
    private final VirtualMachine machine;
    private final List<Receiving> receivings = new ArrayList<>();
    private final List<Sending> sendings = new ArrayList<>();
    private final List<Completing> completings = new ArrayList<>();
    private final Deque<Lease> held = new ArrayDeque<>();
    private final List<Lease> kept = new ArrayList<>();
    private boolean keeping = true;

    Streams(World world) {
        this.world = world;
        this.machine = world.machine();
    }

    private @Nullable NetioInbound inbound(int connection, Side side, int tag) {
        NetioConnection from = world.connection(connection, side);
        return from == null || tag == Step.OWN ? from : from.stream(tag);
    }

    private @Nullable NetioOutbound outbound(int connection, Side side, int tag) {
        NetioConnection from = world.connection(connection, side);
        return from == null || tag == Step.OWN ? from : from.stream(tag);
    }

    private boolean isStream() {
        return world.scenario().setup().framing() == FramingKind.STREAM;
    }

    // ---- receiving

    void receive(Step.Receive step) {
        NetioInbound from = inbound(step.connection(), step.side(), step.tag());
        if (from == null) {
            return;
        }
        String who = step.toString();
        List<Ledger.Reader> readers = new ArrayList<>();
        Flux<Object> one = Flux.defer(() -> {
            Ledger.Reader reader = world.ledger().new Reader(who, false);
            readers.add(reader);
            return messages(step.kind(), from, reader);
        });
        Flux<Object> all = step.tag() == Step.OWN && step.chain() != Step.Chain.PUBLISH_ON ? one : chained(step, one);
        Probe<Object> probe = new Probe<>(machine, who, step.demand(), step.batch(), element -> {
            world.guarded().received(step.side(), step.tag(), step);
            if (element instanceof Lease lease) {
                hold(lease, step.kind() == Step.Kind.LEASED_KEPT && keeping);
            }
        });
        if (step.cancelAfter() > 0) {
            probe.cancelAfter(step.cancelAfter());
        }
        receivings.add(new Receiving(step, probe, readers));
        all.subscribe(probe);
    }

    private Flux<Object> messages(Step.Kind kind, NetioInbound from, Ledger.Reader reader) {
        return switch (kind) {
            case OWNED -> from.receive().map(message -> read(message, reader));
            case DECODED -> from.receive(message -> read(message, reader));
            case TAGGED -> isStream() || world.scenario().setup().framing() == FramingKind.PAGE
                    ? from.receiveTagged((tag, status, message) -> {
                        reader.read(tag, status, message);
                        return kind;
                    })
                    : messages(Step.Kind.DECODED, from, reader);
            case BATCHED -> from.receiveBatches(3).map(batch -> read(batch, reader));
            case LEASED -> from.receiveLeased().map(lease -> released(lease, reader));
            case LEASED_LONG, LEASED_KEPT -> from.receiveLeased().doOnNext(lease -> reader.read(lease.buffer()))
                    .cast(Object.class);
            case LEASED_CHAIN -> from.receiveLeased(leases -> leases.map(lease -> released(lease, reader)));
        };
    }

    private static Object read(ByteBuffer message, Ledger.Reader reader) {
        reader.read(message);
        return reader;
    }

    private Object read(MessageBatch batch, Ledger.Reader reader) {
        while (batch.next()) {
            boolean mayFail = world.scenario().setup().leases() == LeasePolicy.ERROR;
            reader.read(mayFail ? batch.data() : hold(batch.retain(), false).buffer());
        }
        return reader;
    }

    private static Object released(Lease lease, Ledger.Reader reader) {
        try (lease) {
            return read(lease.buffer(), reader);
        }
    }

    private Flux<Object> chained(Step.Receive step, Flux<Object> one) {
        int some = Math.max(1, step.batch());
        boolean leases = step.kind() == Step.Kind.LEASED_LONG;
        return switch (leases && step.chain() != Step.Chain.RESUME ? Step.Chain.PLAIN : step.chain()) {
            case PLAIN -> one;
            case TAKE_REPEAT -> one.take(some).repeat(2);
            case CONCAT -> Flux.concat(one.take(some), one);
            case RETRY -> one.retry(2);
            case LIMIT_RATE -> one.limitRate(some);
            case RESUME -> one.onErrorResume(error -> Flux.empty());
            case FLAT_MAP -> one.flatMap(Mono::just, 2, 4);
            case PUBLISH_ON -> one.publishOn(Schedulers.parallel(), some);
            case GROUP_BY -> one.groupBy(Object::hashCode).flatMap(group -> group);
        };
    }

    private Lease hold(Lease lease, boolean keep) {
        (keep ? kept : held).add(lease);
        machine.after(machine.drawNanos(HOLD_NANOS), () -> {
            Lease oldest = keep ? null : held.poll();
            if (oldest != null) {
                oldest.release();
            }
        });
        return lease;
    }

    void cancel(int connection, Side side, int tag) {
        receivings.stream().filter(each -> matches(each, connection, side, tag)).toList()
                .forEach(each -> each.probe.cancel());
    }

    void flood(Step.Flood step) {
        receivings.stream().filter(each -> matches(each, step.connection(), step.side(), step.tag())).toList().forEach(each ->
                world.network().growth().checkTasks(world.loop(step.side()), step.requests(), "request(1) of " + each.probe.who(),
                        () -> ask(each.probe, step.requests())));
    }

    /** Gives up before the next subscription, so that others do not run out of streams. */
    void giveUp(Step.GiveUp step) {
        NetioConnection from = world.connection(step.connection(), step.side());
        if (from == null || !isStream() || world.scenario().setup().maxStreams() < step.times()) {
            return;
        }
        world.network().growth().checkDelays(world.driven(step.side().other()), step.times(), GIVE_UP_NANOS * step.times(),
                "a subscription that is given up");
        for (int i = 0; i < step.times(); i++) {
            machine.after(GIVE_UP_NANOS * i, () -> {
                Disposable receiver = from.stream(UNSERVED).receive().subscribe(message -> { }, error -> { });
                Disposable end = from.stream(UNSERVED + 1).completeOutbound().subscribe(nothing -> { }, error -> { });
                machine.after(GIVE_UP_NANOS / 2, () -> {
                    receiver.dispose();
                    end.dispose();
                });
            });
        }
    }

    private static void ask(Probe<?> probe, int times) {
        for (int i = 0; i < times; i++) {
            probe.ask(1);
        }
    }

    private static boolean matches(Receiving each, int connection, Side side, int tag) {
        return each.step.connection() == connection && each.step.side() == side && each.step.tag() == tag;
    }

    // ---- sending

    void send(Step.Send step) {
        NetioOutbound to = outbound(step.connection(), step.side(), step.tag());
        if (to == null) {
            return;
        }
        String who = step.toString();
        MessageSource source = new MessageSource(machine, world.ledger(), step.plan(), who);
        SendCompletion completion = step.transmitted() ? SendCompletion.TRANSMITTED : SendCompletion.DELIVERED;
        Unsent unsent = new Unsent(world, step, source);
        Mono<Void> once = source.sendTo(to.completion(completion), step.given()).doOnError(unsent::check);
        NetioConnection connection = Objects.requireNonNull(world.connection(step.connection(), step.side()));
        Mono<Void> all = switch (step.after()) {
            case NOTHING -> once;
            case SEND_AGAIN -> once.then(once);
            // a message of no bytes ends a send with RAW framing, again and again
            case RETRY -> once.retry(step.plan().fails() || !isStream() ? 2 : MOST_RETRIES);
            case COMPLETE -> isStream() ? once.then(to.completeOutbound()) : once;
            case DISPOSE -> once.doOnSuccess(nothing -> connection.dispose());
        };
        Probe<Object> probe = new Probe<>(machine, who, Probe.Demand.UNBOUNDED, 1, element -> { });
        sendings.add(new Sending(step, source, probe));
        all.cast(Object.class).subscribe(probe);
    }

    void cancelSends(int connection, Side side, int tag) {
        sendings.stream().filter(each -> each.step.connection() == connection && each.step.side() == side
                && each.step.tag() == tag).toList()
                .forEach(each -> each.probe.cancel());
    }

    void complete(Step.Complete step) {
        NetioOutbound to = outbound(step.connection(), step.side(), step.tag());
        for (int i = 0; i < step.times() && to != null; i++) {
            complete(to, step, i + 1 == step.times() && step.dispose());
        }
    }

    private void complete(NetioOutbound to, Step.Complete step, boolean dispose) {
        if (!isStream() && world.scenario().setup().endSignal() == EndSignal.ERROR) {
            return;
        }
        Probe<Object> probe = new Probe<>(machine, step.toString(), Probe.Demand.UNBOUNDED, 1, element -> { });
        completings.add(new Completing(step, probe));
        NetioConnection connection = Objects.requireNonNull(world.connection(step.connection(), step.side()));
        List<Sending> before = sendings.stream().filter(each -> isSame(each.step, step) && each.isUnderWay()).toList();
        to.completeOutbound().doOnSuccess(nothing -> {
            if (isStream()) {
                before.stream().filter(Sending::isUnderWay).forEach(each -> machine.violated(
                        "completeOutbound() succeeded before what was sent: " + step + " and " + each.probe));
            }
            if (dispose) {
                connection.dispose();
            }
        }).cast(Object.class).subscribe(probe);
    }

    // ---- what must be

    /** Everybody asks for all there is, and nothing is endless any more. */
    void drain() {
        sendings.forEach(each -> each.source.end());
        receivings.forEach(each -> each.probe.askForAll());
    }

    /** Whether the connection is up at both ends, and its network as well. */
    boolean isUp(int connection) {
        NetioConnection client = world.connection(connection, Side.CLIENT);
        NetioConnection server = world.connection(connection, Side.SERVER);
        return client != null && server != null && !client.isDisposed() && !server.isDisposed() && !world.excuses().isSilent()
                && !world.excuses().isCorrupt();
    }

    /** Whether a stream that somebody wants all of waits, while others ask for little: these must not hold it up. */
    boolean isHeldUp() {
        return isStream() && sendings.stream().anyMatch(this::isHeldUp);
    }

    private boolean isHeldUp(Sending each) {
        boolean ends = each.step.plan().messages() >= 0 && each.step.plan().pace() == MessageSource.Pace.AT_ONCE;
        return ends && isWaiting(each) && !mayHavePages(each) && receivings.stream()
                .filter(to -> matches(to, each.step.connection(), each.step.side().other(), each.step.tag()))
                .allMatch(to -> to.step.demand() == Probe.Demand.UNBOUNDED && to.step.chain() == Step.Chain.PLAIN);
    }

    /**
     * Whether messages that came ahead may have all pages: they are so much larger than those before them that they stay there,
     * or leases have the rest and may not be copies.
     */
    private boolean mayHavePages(Sending each) {
        NetioConnection receiver = world.connection(each.step.connection(), each.step.side().other());
        Scenario.Setup setup = world.scenario().setup();
        boolean leased = receiver != null && setup.leases() != LeasePolicy.COPY && receiver.statistics().leasedBuffers() > 0;
        return setup.prefetch() != 0 && receiver != null && (leased
                || receiver.statistics().heldBytes() > 2 * setup.prefetchBytes());
    }

    void checkHeldUp() {
        if (isStream()) {
            sendings.stream().filter(this::isHeldUp).forEach(each ->
                    machine.violated("held up by streams that nobody asks for: " + each.probe));
        }
    }

    /** Whoever can go on has gone on. */
    void checkSettled() {
        for (Sending each : sendings) {
            Step.Send step = each.step;
            if (isWaiting(each)) {
                machine.violated("nothing goes on: " + each.probe + ", although the peer receives");
            }
            checkArrived(each);
            Throwable error = each.probe.error();
            if (error != null && !world.excuses().explains(step, error)) {
                machine.violated("no reason for: " + each.probe);
            }
        }
        for (int i = 0; i < world.scenario().setup().clients(); i++) {
            checkAccounted(i, Side.CLIENT);
            checkAccounted(i, Side.SERVER);
        }
        for (Receiving each : receivings) {
            Throwable error = each.probe.error();
            if (error != null && !world.excuses().explains(each.step, error)) {
                machine.violated("no reason for: " + each.probe);
            } else if (error != null && each.step.side() == Side.CLIENT
                    && world.excuses().isUnsaidShutdown(error)) {
                machine.violated("not told of the shutdown: " + each.probe);
            }
        }
        for (Completing each : completings) {
            Throwable error = each.probe.error();
            if (error != null && !world.excuses().explains(each.step, error)) {
                machine.violated("no reason for: " + each.probe);
            }
        }
    }

    /** What a side says has arrived was given to somebody at the other, waits there, or is counted as discarded. */
    private void checkAccounted(int connection, Side side) {
        NetioConnection from = world.connection(connection, side);
        if (from == null || !isStream() || !isUp(connection) || world.excuses().isInTrouble(connection)) {
            return;
        }
        long sent = sendings.stream().filter(each -> each.step.connection() == connection && each.step.side() == side.other())
                .filter(each -> each.probe.isCompleted() && !each.step.transmitted() && each.step.after() != Step.After.RETRY)
                .flatMap(each -> each.source.runs().stream()).filter(MessageSource.Run::isCompleted)
                .mapToLong(run -> run.batch().sizes.size()).sum();
        long read = receivings.stream().filter(each -> each.step.connection() == connection && each.step.side() == side)
                .flatMap(each -> each.readers.stream()).mapToLong(Ledger.Reader::messages).sum();
        ConnectionStatistics counted = from.statistics();
        if (sent > read + counted.discardedMessages() + counted.creditsInUse()) {
            machine.violated(sent + " messages are delivered to " + side + " of connection " + connection + ", but " + read
                    + " were received, " + counted.discardedMessages() + " discarded, and " + counted.creditsInUse() + " wait");
        }
    }

    /** Whether somebody waits who can go on. */
    boolean isWaiting() {
        return sendings.stream().anyMatch(this::isWaiting);
    }

    /** How many messages the sources have given. */
    long given() {
        return sendings.stream().flatMap(each -> each.source.runs().stream()).mapToLong(run -> run.batch().sizes.size()).sum();
    }

    private boolean isWaiting(Sending each) {
        Step.Send step = each.step;
        return isUp(step.connection()) && hasReader(step) && canBeTold(step) && each.probe.isSubscribed() && !each.probe.isOver()
                && !each.probe.isCancelled();
    }

    private boolean hasReader(Step.Send step) {
        return receivings.stream().anyMatch(each -> each.isLive()
                && matches(each, step.connection(), step.side().other(), step.tag()));
    }

    /** Over tcp an acknowledgement waits behind what this side does not receive; STREAM's own do not. */
    private boolean canBeTold(Step.Send step) {
        if (world.excuses().isJammed(step.connection())
                && (step.plan().messages() != 0 || step.after() == Step.After.COMPLETE)) {
            return false; // what is sent, and what ends after it, waits for pages
        }
        if (world.scenario().setup().sharedBuffers() && !sendings.stream().allMatch(each -> hasReader(each.step))) {
            return false; // what nobody receives is in buffers that all share
        }
        return isStream() || !world.scenario().weather().acksBehindData()
                || receivings.stream().anyMatch(each -> each.isLive()
                && matches(each, step.connection(), step.side(), step.tag()));
    }

    /** What a send says has arrived must have come out, if somebody was there to take it all the time. */
    private void checkArrived(Sending each) {
        Step.Send step = each.step;
        List<Receiving> readers = receivings.stream()
                .filter(reader -> matches(reader, step.connection(), step.side().other(), step.tag())).toList();
        boolean undisturbed = readers.size() == 1 && readers.getFirst().step.chain() != Step.Chain.TAKE_REPEAT
                && readers.getFirst().step.chain() != Step.Chain.CONCAT && !readers.getFirst().probe.isCancelled()
                && readers.getFirst().readers.size() == 1;
        boolean disturbed = world.excuses().isInTrouble(step.connection()) || world.excuses().isJammed(step.connection())
                || world.excuses().disposes(step.connection(), step.side().other()) || step.transmitted() && !canBeTold(step);
        if (!undisturbed || disturbed || !each.probe.isCompleted()) {
            return;
        }
        for (MessageSource.Run run : each.source.sent(step)) {
            Ledger.Batch batch = run.batch();
            long named = batch.sizes.stream().filter(size -> size >= Ledger.NAMED).count();
            if (run.isCompleted() && batch.arrived != named) {
                machine.violated("lost: " + batch.arrived + " of " + named + " messages came out of " + batch
                        + ", which is delivered");
            }
        }
    }

    /** How many tags this side sends to, or ends, or the peer is subscribed to. */
    int tagsInUse(int connection, Side side) {
        Set<Integer> tags = new HashSet<>();
        sendings.stream().filter(each -> !each.probe.isOver() && each.step.connection() == connection
                && each.step.side() == side).forEach(each -> tags.add(each.step.tag()));
        completings.stream().filter(each -> !each.probe.isOver() && each.step.connection() == connection
                && each.step.side() == side).forEach(each -> tags.add(each.step.tag()));
        receivings.stream().filter(each -> each.isLive() && each.step.connection() == connection
                && each.step.side() == side.other()).forEach(each -> tags.add(each.step.tag()));
        tags.remove(Step.OWN);
        return tags.size();
    }

    private static boolean isSame(Step.Send send, Step.Complete end) {
        return send.connection() == end.connection() && send.side() == end.side() && send.tag() == end.tag();
    }

    /** Says at every end that nothing more comes. */
    void completeAll() {
        keeping = false;
        kept.forEach(Lease::release);
        for (Receiving each : List.copyOf(receivings)) {
            Side from = each.step.side().other();
            NetioOutbound to = outbound(each.step.connection(), from, each.step.tag());
            if (each.isLive() && isUp(each.step.connection()) && to != null) {
                complete(to, new Step.Complete(-1, each.step.connection(), from, each.step.tag(), 1, false), false);
            }
        }
    }

    void checkCompleted() {
        if (!isStream()) {
            return;
        }
        for (Receiving each : receivings) {
            boolean again = each.step.chain() == Step.Chain.TAKE_REPEAT || each.step.chain() == Step.Chain.CONCAT;
            if (each.isLive() && !again && isUp(each.step.connection())) {
                machine.violated("the end does not come: " + each.probe);
            }
        }
    }

    /** All connections are over: so is everything on them. */
    void checkEnded() {
        for (Receiving each : receivings) {
            require(each.probe.isOver() || each.probe.isCancelled(), each.probe);
        }
        for (Sending each : sendings) {
            require(each.probe.isOver() || each.probe.isCancelled(), each.probe);
            for (MessageSource.Run run : each.source.runs()) {
                if (!run.isDone()) {
                    machine.violated("not let go at the end: " + run.batch());
                }
            }
        }
        for (Completing each : completings) {
            require(each.probe.isOver(), each.probe);
        }
    }

    private void require(boolean holds, Probe<?> probe) {
        if (!holds) {
            machine.violated("not told at the end: " + probe);
        }
    }
}
