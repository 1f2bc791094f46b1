// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.FramingKind;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.simulation.MessageSource.Pace;
import io.reactivenetio.simulation.MessageSource.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Subscribers that become slow: what is sent ahead of them must become little. */
final class SlowReceivers {
    private static final int FIRST_TAG = 70;
    /** Between two messages, once it is slow: longer than what decides how far to be ahead looks at. */
    private static final long PACE_NANOS = 10_000_000;
    /** Messages after which it has all that was asked for while it was fast, and as many again, for the window to shrink. */
    private static final int SOME = 15;
    /** Messages that may be ahead of a slow subscriber: two round trips' worth, where those are short, and one. */
    private static final int MOST_AHEAD = 3;
    private static final long SHORT_NANOS = 1_000_000;

    /** Of one step. */
    private static final class Slowing {
        private final Step.BecomeSlow step;
        private final MessageSource source;
        private final Probe<Object> received;
        private final Probe<Object> sent;
        private long checkAt = Long.MAX_VALUE;

        Slowing(Step.BecomeSlow step, MessageSource source, Probe<Object> received, Probe<Object> sent) {
            this.step = step;
            this.source = source;
            this.received = received;
            this.sent = sent;
        }

        long ahead() {
            return source.runs().stream().mapToLong(run -> run.batch().sizes.size()).sum() - received.received();
        }
    }

    private final World world;
    private final List<Slowing> all = new ArrayList<>();

    SlowReceivers(World world) {
        this.world = world;
    }

    /** How long such a step takes, if so many messages are ahead as the subscriber becomes slow. */
    static long nanos(int ahead) {
        return PACE_NANOS * (ahead + 2 * SOME);
    }

    void begin(Step.BecomeSlow step) {
        NetioConnection from = world.connection(step.connection(), step.side());
        NetioConnection to = world.connection(step.connection(), step.side().other());
        if (from == null || to == null || world.scenario().setup().framing() != FramingKind.STREAM) {
            return;
        }
        VirtualMachine machine = world.machine();
        int tag = FIRST_TAG + all.size();
        MessageSource source = new MessageSource(machine, world.ledger(), new Plan(-1, 12, Pace.AT_ONCE, false), step.toString());
        Probe<Object> sent = new Probe<>(machine, "the sender of " + step, Probe.Demand.UNBOUNDED, 1, element -> { });
        Probe<Object> received = new Probe<>(machine, step.toString(), Probe.Demand.ONE_BY_ONE, 1, element -> look());
        all.add(new Slowing(step, source, received, sent));
        from.stream(tag).receive().cast(Object.class).subscribe(received);
        source.sendTo(to.stream(tag), Step.Given.BUFFERS).cast(Object.class).subscribe(sent);
    }

    private void look() {
        for (Slowing each : all) {
            long has = each.received.received();
            if (has == each.step.fast()) {
                each.received.slowDown(PACE_NANOS);
            } else if (has == each.step.fast() + SOME) {
                each.checkAt = has + each.ahead() + SOME;
            } else if (has == each.checkAt && isUndisturbed() && each.ahead() > MOST_AHEAD) {
                world.machine().violated(each.ahead() + " messages are ahead of a subscriber that takes one each "
                        + TimeUnit.NANOSECONDS.toMillis(PACE_NANOS) + " ms: " + each.received);
            }
        }
    }

    /** Whether a message is there a moment after it was asked for. */
    private boolean isUndisturbed() {
        WorldNetwork.Weather weather = world.scenario().weather();
        boolean late = weather.latencyNanos() > SHORT_NANOS || weather.refusedPercent() > 0 || weather.latePercent() > 0;
        return !late && !world.excuses().isCorrupt()
                && world.scenario().steps().stream().noneMatch(Step.Stall.class::isInstance);
    }

    /** How many of its tags an end of this connection may know. */
    int tagsInUse(int connection) {
        return (int) all.stream().filter(each -> each.step.connection() == connection).count();
    }

    void drain() {
        all.forEach(each -> {
            each.source.end();
            each.received.askForAll();
        });
    }

    void checkEnded() {
        for (Slowing each : all) {
            if (!each.received.isOver() || !each.sent.isOver()) {
                world.machine().violated("not told at the end: " + each.received + " or " + each.sent);
            }
        }
    }
}
