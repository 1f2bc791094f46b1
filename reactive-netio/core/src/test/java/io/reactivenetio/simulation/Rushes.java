// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.simulation.MessageSource.Pace;
import io.reactivenetio.simulation.MessageSource.Plan;
import io.reactivenetio.simulation.Step.After;
import io.reactivenetio.simulation.Step.Chain;
import io.reactivenetio.simulation.Step.Given;
import io.reactivenetio.simulation.Step.Kind;
import io.reactivenetio.simulation.Step.Side;
import java.util.List;
import java.util.SplittableRandom;

/** Steps of the same kind that come close together, so that what there are only a few of runs short. */
final class Rushes {
    private final SplittableRandom random;
    private final List<Step> steps;

    Rushes(SplittableRandom random, List<Step> steps) {
        this.random = random;
        this.steps = steps;
    }

    /** Many subscriptions over one connection, while that is being made and after, and some are cancelled in between. */
    void subscriptions(long at) {
        int client = random.nextInt(2);
        int tag = Published.HOT + random.nextInt(2);
        int policy = random.nextInt(2) == 0 ? SlowPolicy.DROP_OLDEST.ordinal()
                : random.nextInt(SlowPolicy.values().length + 1);
        boolean reconnect = random.nextInt(4) == 0;
        int number = 4 + random.nextInt(24);
        long gap = random.nextInt(3) == 0 ? 0 : 1 + random.nextLong(1_500);
        Probe.Demand usual = random.nextBoolean() ? Probe.Demand.STALLS : Probe.Demand.UNBOUNDED;
        for (int i = 0; i < number; i++) {
            long when = at + i * gap;
            Probe.Demand demand = random.nextInt(3) > 0 ? usual
                    : Probe.Demand.values()[random.nextInt(Probe.Demand.values().length)];
            steps.add(new Step.Subscribe(when, client, tag, tag, policy, reconnect, demand, 1 + random.nextInt(8),
                    random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0));
            if (random.nextInt(12) == 0) {
                steps.add(new Step.Unsubscribe(when + random.nextInt(30), client));
            }
        }
    }

    /** What came ahead for one that asks for little must not keep the pages of one that takes all. */
    void streamBesideStalledOnes(long at, int connection, Side side, int bytes) {
        for (int tag = 0; tag < 2; tag++) {
            steps.add(new Step.Receive(at, connection, side.other(), tag, Kind.OWNED, Chain.PLAIN,
                    random.nextBoolean() ? Probe.Demand.NOTHING : Probe.Demand.STALLS, 1, 0));
            steps.add(new Step.Send(at + random.nextLong(500), connection, side, tag, new Plan(60, bytes, Pace.AT_ONCE, false),
                    random.nextBoolean(), After.NOTHING, Given.BUFFERS));
        }
        steps.add(new Step.Receive(at, connection, side.other(), 2, Kind.DECODED, Chain.PLAIN, Probe.Demand.UNBOUNDED, 1, 0));
        steps.add(new Step.Send(at + random.nextLong(50_000), connection, side, 2, new Plan(20, bytes, Pace.AT_ONCE, false),
                random.nextBoolean(), After.NOTHING, Given.BUFFERS));
    }

    /** All pages for data are with a peer that keeps its leases, and there are sends that need none. */
    void sendsBehindKeptPages(long at, int connection, Side side, int bytes) {
        steps.add(new Step.Receive(at, connection, side.other(), 0, Kind.LEASED_KEPT, Chain.PLAIN, Probe.Demand.UNBOUNDED, 1, 0));
        steps.add(new Step.Send(at, connection, side, 0, new Plan(random.nextInt(2) == 0 ? -1 : 300, bytes, Pace.AT_ONCE, false),
                random.nextBoolean(), After.NOTHING, Given.BUFFERS));
        steps.add(new Step.Receive(at, connection, side.other(), 1, Kind.DECODED, Chain.PLAIN, Probe.Demand.UNBOUNDED, 1, 0));
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            boolean fails = random.nextBoolean();
            steps.add(new Step.Send(at + random.nextLong(200_000), connection, side, random.nextInt(4) == 0 ? Step.OWN : 1,
                    new Plan(0, 12, Pace.values()[random.nextInt(2)], fails), random.nextInt(4) > 0,
                    fails ? After.RETRY : After.SEND_AGAIN, Given.BUFFERS));
        }
        if (random.nextBoolean()) {
            cancelsOfAnswersThatWait(at, connection, side);
        }
    }

    /** Requests are given up while no answer can leave, and others follow. */
    private void cancelsOfAnswersThatWait(long at, int connection, Side side) {
        int tag = 50;
        steps.add(new Step.Respond(at, connection, side, tag, 2, 50_000, 0));
        steps.add(new Step.Ask(at + random.nextLong(200_000), connection, side.other(), tag, 4, 12, 1_000));
        steps.add(new Step.Ask(at + random.nextLong(200_000), connection, side.other(), tag, 4, 12, 0));
    }
}
