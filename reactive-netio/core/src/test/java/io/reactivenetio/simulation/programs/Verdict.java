// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.pubsub.PublisherStatistics;
import io.reactivenetio.simulated.SimulatedEndpoint;
import io.reactivenetio.simulation.VirtualMachine;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import reactor.util.concurrent.Queues;

/** What must hold when a program has been run, see CONTRIBUTING.md. */
final class Verdict {
    private static final long MILLISECOND = 1_000_000L;
    /** In which a responder that has nothing else to do answers, over any of the networks. */
    private static final long PROMPT_NANOS = 400 * MILLISECOND;
    /** In which a server stops whose peers use nothing that has an end. */
    private static final long STOP_NANOS = 2_000 * MILLISECOND;
    private static final Duration DEADLINE = Duration.ofSeconds(8);
    private static final int LATE = 7;

    private final ProgramWorld world;
    private final VirtualMachine machine;
    private final Excuse excuse;

    Verdict(ProgramWorld world) {
        this.world = world;
        this.machine = world.machine;
        this.excuse = new Excuse(world);
    }

    void judge() {
        for (Runnable step : List.<Runnable>of(world::settle, this::requests, this::connections, world.subscribing::drain,
                world::settle, world::settle, this::subscriptions, this::lateRequests, this::lateSubscribers, this::accounts,
                this::unpolled, this::stop, this::home)) {
            if (machine.violations().isEmpty()) { // the first says what is wrong
                step.run();
            }
        }
    }

    // ---- nothing waits for ever, and no more is taken down than what failed

    private void requests() {
        for (InTap<?> each : world.asking.requests) {
            if (each.isOpen()) {
                machine.violated("a request waits for ever: " + each);
            } else if (!excuse.explainsRequest(each)) {
                machine.violated("no reason for: " + each);
            }
        }
        for (InTap<?> each : world.asking.responders) {
            if (each.isOver() && !each.isCancelled() && !excuse.explainsResponder(each)) {
                machine.violated("a responder has ended: " + each);
            }
        }
    }

    private void connections() {
        for (int i = 0; i < world.setup.connections(); i++) {
            for (List<NetioConnection> side : world.connections) {
                if (side.size() > i && side.get(i).isDisposed() && !excuse.mayEnd(i)) {
                    machine.violated("a connection has ended: " + i);
                }
            }
        }
    }

    private void subscriptions() {
        for (InTap<?> each : world.subscribing.taps) {
            if (!excuse.explainsSubscription(each)) {
                machine.violated("no reason for: " + each);
            }
            boolean reachable = !excuse.has(Word.SHUTDOWN) && !excuse.has(Word.END_PUBLISHER)
                    || each.node.word() != Word.RECONNECTING && !excuse.has(Word.REBIND);
            if (each.isOpen() && each.hasDemand() && reachable && !Sending.isReceive(each.node)) {
                waiting(each);
            }
        }
        world.sending.judge(excuse);
    }

    /** Each of its tags has to go on, or to have nothing more; and if all are over, so is it. */
    private void waiting(InTap<?> tap) {
        long[] tags = Subscribing.tags(tap.node);
        boolean over = true;
        for (long tag : tags) {
            List<Given.Run> runs = world.publishing.given.runs().stream().filter(run -> run.tag == tag).toList();
            boolean served = excuse.isServed(tag);
            if (served && runs.isEmpty()) {
                machine.violated("nothing goes on: " + tap + ", and nobody has subscribed to tag " + tag);
            }
            boolean mayBeOver = tags.length > 1 && runs.stream().anyMatch(Given.Run::isOver); // here, and others are not
            for (Given.Run run : runs) {
                if (run.shared && run.hasMore() && served && !mayBeOver) {
                    machine.violated("nothing goes on: " + tap + ", although there is more of " + run);
                }
            }
            over &= served && !runs.isEmpty() && runs.stream().allMatch(Given.Run::isOver);
        }
        if (over) {
            machine.violated("not told of the end: " + tap);
        }
    }

    private void lateRequests() {
        if (!excuse.has(Word.REQUEST) && machine.draw(2) == 0) {
            return; // so that some were never asked when the server stops
        }
        for (int connection = 0; connection < world.setup.connections(); connection++) {
            for (int side = 0; side < 2; side++) {
                for (int tag : new int[] {Grammar.ASKED, Grammar.ASKED + 1}) {
                    lateRequest(connection, side, tag);
                }
            }
        }
    }

    private void lateRequest(int connection, int side, int tag) {
        List<NetioConnection> asks = world.connections.get(1 - side);
        boolean open = world.asking.responders.stream().anyMatch(each -> each.isOpen()
                && excuse.respondersOf(connection, side, tag).contains(each.node));
        boolean both = !excuse.respondersOf(connection, 1 - side, tag).isEmpty();
        if (open && !both && connection < asks.size() && !excuse.mayEnd(connection)
                && !world.asking.isAnswering(asks.get(connection), tag, PROMPT_NANOS)) {
            machine.violated("a responder does not answer, or not at once: tag " + tag + " at connection " + connection);
        }
    }

    // ---- every message has an owner, or is accounted for

    /** What is kept for the next subscriber comes to it. */
    private void lateSubscribers() {
        if (!excuse.has(Word.SHUTDOWN) && !excuse.has(Word.END_PUBLISHER)) {
            IntStream.range(Grammar.HOT, Grammar.HOT + Grammar.HOTS).filter(excuse::isPublished).forEach(tag ->
                    world.subscribing.run(Node.of(Word.RUN, 0, 0, 1, 0).with(
                            Node.of(Word.FLOW, LATE, 0).with(Node.of(Word.TAG, tag)))));
            world.settle();
        }
    }

    /** What waited in the queue of an operator that leaves is counted at the connection that it has come over. */
    private void unpolled() {
        long left = world.subscribing.taps.stream().mapToLong(InTap::unpolled).sum();
        long discarded = Stream.concat(world.opened.stream(), world.connections.stream().flatMap(List::stream)).distinct()
                .mapToLong(each -> each.statistics().discardedMessages()).sum();
        if (left > discarded) {
            machine.violated(left + " messages waited for subscriptions that left, and " + discarded
                    + " are counted as discarded");
        }
    }

    private void accounts() {
        long lost = 0;
        StringBuilder of = new StringBuilder();
        for (Given.Run run : world.publishing.given.runs()) {
            if (run.tag >= Sending.FIRST_KEY) {
                continue;
            }
            List<InTap<?>> taps = world.subscribing.taps.stream()
                    .filter(each -> Arrays.stream(Subscribing.tags(each.node)).anyMatch(tag -> tag == run.tag)).toList();
            long missing = world.setup.policy() == SlowPolicy.BACKPRESSURE || !run.shared ? run.lost()
                    : isOnly(run) && taps.stream().anyMatch(Verdict::hasSeenTheEnd) ? run.tail() : 0; // it needs no subscribers
            long gone = taps.stream().mapToLong(each -> each.waiting() + (each.isOpen()
                    ? between(each) + world.setup.prefetch() : each.leftBehind(world.setup.prefetch())))
                    .reduce(0, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b);
            if (missing > gone && !isToldByError(run, taps)) {
                lost += missing - gone;
                of.append(' ').append(run);
            }
        }
        PublisherStatistics counted = world.publisher.statistics();
        long missed = world.subscribing.subscribers().values().stream().mapToLong(each -> each.statistics().missed()).sum();
        long discarded = world.opened.stream().mapToLong(each -> each.statistics().discardedMessages()).sum();
        if (lost > counted.dropped() + counted.undelivered() + counted.kept() + counted.waiting() + missed + discarded) {
            machine.violated("messages are lost: " + lost + " of" + of + ", and told are missed " + missed + ", discarded "
                    + discarded + ", " + counted);
        }
    }

    /** What is in no queue that is counted: one message before its pages, and at the subscriber what a merge has ahead. */
    private static long between(InTap<?> waits) {
        return Subscribing.tags(waits.node).length == 1 ? 1 : 1 + Queues.XS_BUFFER_SIZE;
    }

    private static boolean hasSeenTheEnd(InTap<?> tap) {
        return tap.hasSeenTheEnd() && Subscribing.tags(tap.node).length == 1;
    }

    private boolean isOnly(Given.Run run) {
        return world.publishing.given.runs().stream().filter(each -> each.tag == run.tag).count() == 1;
    }

    /** Whether somebody who may have lost them has been told so by an error, or has left others of its tags with them. */
    private boolean isToldByError(Given.Run run, List<InTap<?>> taps) {
        return excuse.isCut() || taps.stream().anyMatch(each -> Excuse.isTooSlow(each)
                || (each.isCancelled() || each.error() != null) && Subscribing.tags(each.node).length > 1
                || excuse.has(Word.SHUTDOWN) && each.node.word() == Word.RECONNECTING)
                || !run.shared && (run.cancelled || taps.stream().anyMatch(InTap::isCancelled));
    }

    // ---- the end

    private void stop() {
        boolean mayWait = excuse.has(Word.REQUEST) || excuse.has(Word.SHUTDOWN) || excuse.has(Word.REBIND)
                || world.subscribing.taps.stream().anyMatch(each -> each.isOpen()
                && Arrays.stream(Subscribing.tags(each.node)).anyMatch(tag -> tag >= Grammar.COLD));
        world.disposeClients(); // what they use may be under way
        world.settle(STOP_NANOS);
        if (!world.leaked().isEmpty()) {
            machine.violated("left open, and nobody can close it: " + world.leaked());
            return;
        }
        boolean[] stopped = {world.server == null};
        world.shutdown(DEADLINE).subscribe(nothing -> { }, error -> { }, () -> stopped[0] = true);
        world.settle(STOP_NANOS);
        if (!stopped[0] && !mayWait) {
            machine.violated("the server stops as late as it may, though nothing is under way");
        }
        world.settle();
        for (InTap<?> each : world.subscribing.taps) {
            boolean behind = world.setup.prefetch() > 0 || each.node.word() == Word.SEQUENCED // a message that it leaves
                    || Sending.isOfBatches(each.node);
            boolean hears = each.hasDemand() || !behind;
            if (each.isOpen() && hears && each.node.word() != Word.RECONNECTING && !excuse.has(Word.REBIND)) {
                machine.violated("not told that the server stops: " + each);
            }
        }
    }

    private void home() {
        world.subscribing.cancelAll();
        world.disposeClients();
        world.settle();
        // an operator may keep the cancel to itself, and what has come for it waits
        boolean all = world.subscribing.taps.stream().noneMatch(InTap::isOpen);
        for (SimulatedEndpoint endpoint : world.network.endpoints()) {
            if (!endpoint.isClosed()) {
                machine.violated("left open, and nobody can close it: " + endpoint);
            } else if (all && (endpoint.sends().free() != endpoint.sends().number()
                    || endpoint.receives().posted() != endpoint.receives().number())) {
                machine.violated("buffers are missing at the end: " + endpoint + ", free " + endpoint.sends().free() + " of "
                        + endpoint.sends().number() + ", posted " + endpoint.receives().posted() + " of "
                        + endpoint.receives().number());
            }
        }
        for (SimulatedLoop each : world.driven()) {
            if (each.delayedTasks() > 0) {
                machine.violated(each.delayedTasks() + " delayed tasks are left on " + each.loop());
            }
        }
    }
}
