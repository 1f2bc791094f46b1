// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.FramingKind;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.simulated.SimulatedNetwork.Reach;
import io.reactivenetio.simulation.MessageSource.Pace;
import io.reactivenetio.simulation.MessageSource.Plan;
import io.reactivenetio.simulation.Step.Side;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Draws a scenario from a seed. */
final class Scenarios {
    private static final int[] REQUEST_TAGS = {50, 51};
    /** Those of streams, requests and a publisher. */
    private static final int[] GUARDED_TAGS = {0, 1, 2, 50, 51, 100, 101, 110, 111, 112, 1024, 1030};
    private static final int SOME = 50;

    private final SplittableRandom random;
    /** Of what was added to the vocabulary: other worlds are as they were. */
    private final SplittableRandom later;
    private final SplittableRandom each;
    /** Of who writes headers, later still. */
    private final SplittableRandom propagation;
    /** Of which worlds have streams that find out themselves how far to be ahead. */
    private final SplittableRandom adapting;
    /** Of the networks that there are. */
    private final SplittableRandom networks;
    /** Of whom servers let in, and what they may do. */
    private final SplittableRandom guarding;
    /** Of which worlds have TLS. */
    private final SplittableRandom sealing;
    /** Of which subscribers become slow. */
    private final SplittableRandom slowing;
    private final long seed;

    private Scenarios(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed ^ 0x5DEECE66DL);
        this.later = new SplittableRandom(seed ^ 0x2545F4914F6CDDL);
        this.each = new SplittableRandom(seed ^ 0x6A09E667F3BCC9L);
        this.propagation = new SplittableRandom(seed ^ 0x9E3779B97F4A7CL);
        this.adapting = new SplittableRandom(seed ^ 0x6A09E667F3BCC9L);
        this.networks = new SplittableRandom(seed ^ 0x3C6EF372FE94F8L);
        this.sealing = new SplittableRandom(seed ^ 0x510E527FADE682L);
        this.slowing = new SplittableRandom(seed ^ 0x1F83D9ABFB41BDL);
        this.guarding = new SplittableRandom(seed ^ 0xA54FF53A5F1D36L);
    }

    static Scenario of(long seed) {
        return new Scenarios(seed).draw();
    }

    private Scenario draw() {
        Scenario.Setup setup = setup();
        List<Step> steps = new ArrayList<>();
        int number = 1 + random.nextInt(14);
        long span = one(100, 2_000, 20_000, 200_000);
        for (int i = 0; i < number; i++) {
            add(steps, setup, random.nextLong(span));
        }
        if (setup.prefetch() > 0 && later.nextInt(100) < 20) {
            new Rushes(later, steps).streamBesideStalledOnes(later.nextLong(span), later.nextInt(setup.clients()),
                    Side.values()[later.nextInt(2)], later.nextInt(1, Math.min(setup.bufferSize(), setup.maxMessage())));
        }
        if (setup.framing() == FramingKind.STREAM && each.nextInt(100) < 5) {
            Probe.Demand[] demands = Probe.Demand.values();
            steps.add(new Step.SubscribeEach(each.nextLong(span), each.nextInt(2), demands[each.nextInt(demands.length)],
                    1 + each.nextInt(8)));
        }
        if (setup.prefetch() == Scenario.Setup.ADAPTIVE && slowing.nextInt(100) < 5) {
            steps.add(new Step.BecomeSlow(slowing.nextLong(span), slowing.nextInt(setup.clients()),
                    Side.values()[slowing.nextInt(2)], 10 + slowing.nextInt(100)));
        }
        Scenario.Ways ways = ways();
        if (ways.fastest().isRdma() && networks.nextInt(100) < 30) {
            long at = networks.nextLong(span);
            steps.add(new Step.Unplug(at, Side.values()[networks.nextInt(2)]));
            for (int i = 0; i < setup.clients(); i++) {
                steps.add(new Step.Cut(at, i));
            }
        }
        Scenario.Guard guard = guard(sealing.nextInt(100) < 2 && !setup.sharedBuffers(), setup.framing() == FramingKind.STREAM);
        if (guard.asks() && guarding.nextInt(100) < 30) {
            steps.add(new Step.Pretend(guarding.nextLong(span), 1 + guarding.nextInt(3), guarding.nextBoolean()));
        }
        return new Scenario(seed, setup, ways, guard, weather(), List.copyOf(steps));
    }

    /** In most worlds there is no RDMA and one address. */
    private Scenario.Ways ways() {
        if (networks.nextInt(100) >= 25) {
            return Scenario.Ways.PLAIN;
        }
        int addresses = 1 + networks.nextInt(3);
        List<Reach> verbs = new ArrayList<>();
        List<Reach> tcp = new ArrayList<>();
        for (int i = 0; i < addresses; i++) {
            verbs.add(Reach.values()[networks.nextInt(3)]);
            tcp.add(Reach.values()[networks.nextInt(3)]);
        }
        tcp.set(networks.nextInt(addresses), Reach.ANSWERS);
        return new Scenario.Ways(networks.nextInt(100) < 80, networks.nextInt(100) < 80, List.copyOf(verbs), List.copyOf(tcp));
    }

    /** Most worlds have none. */
    private Scenario.Guard guard(boolean tls, boolean stream) {
        if (!stream || guarding.nextInt(100) >= 20) {
            return new Scenario.Guard(tls, false, Map.of());
        }
        Map<Right, Set<Integer>> forbidden = new EnumMap<>(Right.class);
        if (guarding.nextInt(100) < 80) {
            for (Right right : Right.values()) {
                forbidden.put(right, IntStream.of(GUARDED_TAGS).filter(tag -> guarding.nextInt(100) < 25).boxed()
                        .collect(Collectors.toUnmodifiableSet()));
            }
        }
        return new Scenario.Guard(tls, guarding.nextInt(100) < 70, forbidden);
    }

    private Scenario.Setup setup() {
        FramingKind framing = chance(75) ? FramingKind.STREAM : chance(50) ? FramingKind.PAGE : FramingKind.RAW;
        boolean stream = framing == FramingKind.STREAM;
        int buffer = (int) (stream ? one(1_024, 1_400, 8_000) : one(256, 512, 2_000, 8_000));
        int policies = SlowPolicy.values().length;
        boolean ahead = stream && later.nextInt(100) < 25;
        int propagates = stream ? propagation.nextInt(10) : 0; // 1: the server, 2: clients, 3 and 4: both
        int[] prefetches = {1, 3, 40, 1_000};
        int prefetch = ahead ? prefetches[later.nextInt(prefetches.length)]
                : stream && adapting.nextInt(100) < 40 ? Scenario.Setup.ADAPTIVE : 0;
        long[] bytes = {1, 2_000, 16 << 20};
        return new Scenario.Setup(framing, chance(50) ? EndSignal.ERROR : EndSignal.EMPTY_MESSAGE, 1 + random.nextInt(2),
                1 + random.nextInt(3), buffer, (int) one(2, 3, 4, 16), (int) one(1, 2, 3, 16), !stream && chance(25),
                (int) one(300, 5_000, 40_000), (int) one(2, 4, 64), chance(20), (int) one(0, 0, 1_000, 10_000),
                LeasePolicy.values()[random.nextInt(chance(80) ? 1 : 2)], SlowPolicy.values()[random.nextInt(policies)],
                (int) one(1, 4, 64), prefetch, bytes[later.nextInt(bytes.length)],
                chance(20) ? new Plan(-1, 40, Pace.ELSEWHERE, false) : plan(buffer), plan(buffer),
                propagates == 1 || propagates == 3 || propagates == 4, propagates >= 2 && propagates <= 4);
    }

    private WorldNetwork.Weather weather() {
        return new WorldNetwork.Weather(one(0, 20_000, 300_000, 25_000_000), (int) one(0, 0, 10, 40), (int) one(0, 0, 20),
                (int) one(0, 2, 1_000), chance(30));
    }

    private Plan plan(int buffer) {
        int messages = chance(15) ? -1 : (int) one(0, 1, 3, 20, 60, 300);
        Pace pace = Pace.values()[random.nextInt(3)];
        return new Plan(pace == Pace.SLOWLY && messages > 60 ? 60
                : messages, (int) one(0, 12, 40, buffer / 3, buffer * 3L), pace, chance(15));
    }

    private void add(List<Step> steps, Scenario.Setup setup, long at) {
        boolean stream = setup.framing() == FramingKind.STREAM;
        int connection = random.nextInt(setup.clients());
        Side side = chance(50) ? Side.CLIENT : Side.SERVER;
        int tag = stream && chance(75) ? random.nextInt(3) : Step.OWN;
        int what = random.nextInt(102);
        if (stream && chance(3)) {
            new Rushes(random, steps).subscriptions(at);
            return;
        }
        if (stream && setup.leases() == LeasePolicy.WAIT && chance(20)) {
            new Rushes(random, steps).sendsBehindKeptPages(at, connection, side, setup.bufferSize() / 3);
            return;
        }
        if (what < 55 || !stream && what < 80) {
            transfer(steps, setup, at, connection, side, tag);
        } else if (what < 70) {
            subscribe(steps, at);
        } else if (what < 78) {
            request(steps, at, connection, side);
        } else if (what < 84) {
            steps.add(new Step.Complete(at, connection, side, tag, 1 + random.nextInt(3), chance(30)));
        } else if (what < 88) {
            steps.add(new Step.Cancel(at, connection, side, tag));
        } else if (what < 90) {
            steps.add(new Step.CancelSends(at, connection, side, tag));
        } else if (what < 92) {
            steps.add(new Step.Unsubscribe(at, random.nextInt(2)));
        } else if (what < 93) {
            int times = (int) one(2, SOME, 2_000);
            steps.add(new Step.Flood(at, connection, side, tag, times));
            if (times == SOME) {
                steps.add(new Step.GiveUp(at, connection, side, times));
            }
        } else if (what < 94) {
            steps.add(new Step.Intrude(at, (int) one(1, 3, 10, 60),
                    RulelessPeer.Trick.values()[random.nextInt(RulelessPeer.Trick.values().length)]));
        } else if (what < 98) {
            steps.add(new Step.Stall(at, side, (int) one(500, 20_000, 3_000_000, 3_000_000)));
        } else {
            steps.add(trouble(at, connection, side));
        }
    }

    private Step trouble(long at, int connection, Side side) {
        return switch (random.nextInt(8)) {
            case 0, 1 -> new Step.Dispose(at, connection, side);
            case 2 -> new Step.Cut(at, connection);
            case 3 -> new Step.Silence(at, connection);
            case 6 -> new Step.Corrupt(at, connection, side, Step.Damage.values()[random.nextInt(Step.Damage.values().length)]);
            case 7 -> new Step.Restart(at, (int) one(0, 1_000, 100_000));
            case 4 -> new Step.Shutdown(at, (int) one(0, 1_000, 1_000_000));
            default -> new Step.EndPublisher(at);
        };
    }

    /** Who sends and who receives, at about the same time, in either order. */
    private void transfer(List<Step> steps, Scenario.Setup setup, long at, int connection, Side side, int tag) {
        boolean raw = setup.framing() != FramingKind.STREAM;
        int receives = random.nextInt(4) == 0 ? 0 : 1;
        for (int i = 0; i < receives; i++) {
            steps.add(new Step.Receive(at + random.nextInt(3) * random.nextLong(500), connection, side.other(), tag,
                    Step.Kind.values()[random.nextInt(Step.Kind.LEASED_KEPT.ordinal())],
                    chance(50) ? Step.Chain.PLAIN : Step.Chain.values()[random.nextInt(Step.Chain.values().length)],
                    demand(), (int) one(1, 2, 8, 100),
                    chance(80) ? 0 : 1 + random.nextInt(20)));
        }
        int sends = chance(80) ? 1 : random.nextInt(3);
        for (int i = 0; i < sends; i++) {
            Plan plan = plan(setup.bufferSize());
            if (raw) {
                plan = new Plan(plan.messages(), Math.min(plan.size(), setup.bufferSize() - 16), plan.pace(), plan.fails());
            }
            steps.add(new Step.Send(at + random.nextInt(3) * random.nextLong(500), connection, side, tag, plan, chance(30),
                    chance(60) ? Step.After.NOTHING : Step.After.values()[random.nextInt(Step.After.values().length)],
                    given(setup.framing())));
        }
    }

    private Step.Given given(FramingKind framing) {
        int percent = random.nextInt(100);
        return percent < 20 && framing != FramingKind.RAW ? Step.Given.TAGGED : percent < 40 ? Step.Given.BATCHES
                : Step.Given.BUFFERS;
    }

    private void subscribe(List<Step> steps, long at) {
        boolean hot = chance(60);
        int first = hot ? Published.HOT + random.nextInt(2) : Published.COLD + random.nextInt(3);
        int last = hot && chance(20) ? Published.HOT + 1 : first;
        if (chance(15)) { // all of the labels, some of them, those of a pattern, or one
            first = Labels.FIRST + (chance(50) ? 0 : 4 * random.nextInt(4));
            last = (int) one(Labels.LAST, first + 3, ~3, ~12, first);
        }
        int client = random.nextInt(2);
        steps.add(new Step.Subscribe(at, client, last < 0 ? first : Math.min(first, last), last,
                random.nextInt(SlowPolicy.values().length + 1), chance(30), demand(), (int) one(1, 2, 8, 100),
                chance(70) ? 0 : 1 + random.nextInt(10)));
        if (hot && chance(30)) { // somebody else, who may be faster or slower, as the publisher has it
            steps.add(new Step.Subscribe(at + random.nextLong(5_000), 1 - client, last < 0 ? first : Math.min(first, last), last,
                    SlowPolicy.values().length, false, demand(), (int) one(1, 8), 0));
        }
    }

    private void request(List<Step> steps, long at, int connection, Side side) {
        int tag = REQUEST_TAGS[random.nextInt(REQUEST_TAGS.length)];
        boolean many = chance(3);
        steps.add(new Step.Ask(at + random.nextLong(300), connection, side, tag, many ? 1_500 : (int) one(1, 3, 40),
                (int) one(4, 40, 300), !many && chance(70) ? 0 : (int) one(10, 1_000)));
        if (chance(85)) {
            steps.add(new Step.Respond(at + random.nextLong(300), connection, side.other(), tag, (int) one(1, 2, 256),
                    (int) one(0, 100, 5_000), chance(70) ? 0 : 3));
        }
        if (chance(15)) {
            steps.add(new Step.StopResponding(at + random.nextLong(3_000), connection, side.other(), tag));
        }
    }

    private Probe.Demand demand() {
        return Probe.Demand.values()[random.nextInt(Probe.Demand.values().length)];
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private long one(long... values) {
        return values[random.nextInt(values.length)];
    }
}
