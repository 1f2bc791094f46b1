// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.simulated.SimulatedBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Time, loops and everything that happens in one simulated world, on one real thread. Which of several things that could happen
 * next does happen is drawn from a seed, so that the same seed gives the same world. Time moves only when nothing is left to do
 * at the present moment.
 */
public final class VirtualMachine {
    private static final long MOST_NANOS = Long.MAX_VALUE / 8;
    /** What a step may take: what would happen so soon after it may happen within it. */
    private static final long STEP_NANOS = 20_000;
    /** So few that a turn which does not end is not taken for a long one. */
    private static final int TASKS_PER_TURN = 64;

    /** Of a network that has no latency and takes few messages at a time. */
    private static final int STEPS_PER_MESSAGE = 8;
    /** Times the steps that a world may take, for its messages. */
    private static final int MOST_TIMES = 10;

    /** A loop, and what drives it. */
    private static final class Driven {
        private final SimulatedLoop loop;
        private final List<SimulatedBackend> backends = new ArrayList<>();
        private long stalledUntil;
        private long turns;

        Driven(SimulatedLoop loop) {
            this.loop = loop;
        }

        boolean isPending() {
            for (int i = 0; i < backends.size(); i++) {
                if (backends.get(i).isPending()) {
                    return true;
                }
            }
            return false;
        }

        boolean canWork(long now) {
            return stalledUntil <= now && !loop.loop().isTerminated() && (loop.hasWork() || loop.nextDeadline() <= now
                    || isPending());
        }
    }

    private record Event(long at, long order, Runnable action) {
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) ->
            a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private final List<Driven> loops = new ArrayList<>();
    private final SplittableRandom random;
    private final List<Driven> able = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long now = 1_000_000;
    private long orders;
    private long steps;
    private long messages;
    private int depth;
    private boolean turning;

    public VirtualMachine(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** Something that must never be. */
    public void violated(String what) {
        violations.add(what);
    }

    /** What must never be, and was. */
    public List<String> violations() {
        return violations;
    }

    private void thrown(Throwable failure) {
        StackTraceElement[] stack = failure.getStackTrace();
        violated("thrown on a loop or thread: " + text(failure) + (stack.length == 0 ? "" : " at " + stack[0]));
    }

    /** What it says, or of what class it is: that of a user may say nothing, or throw. */
    public static String text(Throwable failure) {
        try {
            return String.valueOf((Object) failure.toString());
        } catch (RuntimeException e) {
            return failure.getClass().getName();
        }
    }

    public long now() {
        return now;
    }

    public long steps() {
        return steps;
    }

    /** A number from 0 to {@code bound} - 1. */
    public int draw(int bound) {
        return bound <= 1 ? 0 : random.nextInt(bound);
    }

    public long drawNanos(long bound) {
        return bound <= 0 ? 0 : random.nextLong(bound + 1);
    }

    public boolean chance(int percent) {
        return percent > 0 && random.nextInt(100) < percent;
    }

    SimulatedLoop newLoop(String name) {
        SimulatedLoop loop = new SimulatedLoop(EventLoopConfig.defaults().withName(name).withSlowTurnNanos(MOST_NANOS)
                .withMaxTasksPerTurn(TASKS_PER_TURN), this::now);
        loop.loop().onError(this::thrown);
        loops.add(new Driven(loop));
        return loop;
    }

    void attach(SimulatedLoop loop, SimulatedBackend backend) {
        driven(loop).backends.add(backend);
    }

    /** The loop takes no turn for so long. */
    public void stall(SimulatedLoop loop, long nanos) {
        Driven driven = driven(loop);
        driven.stalledUntil = Math.max(driven.stalledUntil, now + nanos);
    }

    private Driven driven(SimulatedLoop loop) {
        return loops.stream().filter(each -> each.loop == loop).findFirst().orElseThrow();
    }

    /** Something that happens after so many nanoseconds, outside of every loop: the network, or another thread. */
    public void after(long nanos, Runnable action) {
        events.add(new Event(now + Math.min(nanos, MOST_NANOS), orders++, action));
    }

    /** What other threads do just now may happen here: between two steps of whatever is running. */
    public void yield() {
        if (depth == 0 || depth > 3 || !chance(20)) {
            return;
        }
        Event next = events.peek();
        if (next != null && next.at <= now + STEP_NANOS) {
            events.poll();
            now = Math.max(now, next.at);
            happen(next);
        }
    }

    private void happen(Event event) {
        Runnable action = event.action;
        for (Driven each : loops) {
            Runnable inner = action;
            action = () -> each.loop.asStranger(inner);
        }
        depth++;
        try {
            action.run();
        } catch (Throwable t) {
            thrown(t);
        } finally {
            depth--;
        }
    }

    /** A message was made, or has come to a user. */
    public void countMessage() {
        messages++;
    }

    /** Goes on until nothing more can happen, or that time is reached, or so many steps were taken and a few for each message. */
    public void run(long untilNanos, long mostSteps) {
        long before = steps;
        long limit = before + mostSteps - STEPS_PER_MESSAGE * messages;
        long atAll = before + MOST_TIMES * mostSteps;
        while (steps < limit + STEPS_PER_MESSAGE * messages && steps < atAll) {
            if (!step(untilNanos)) {
                return;
            }
            steps++;
        }
        violated("still busy after " + (steps - before) + " steps: a livelock");
    }

    /** Goes on within an event, whose thread waits meanwhile, until that is so or the time is reached. Not within a turn. */
    void goOn(BooleanSupplier over, long untilNanos) {
        while (!over.getAsBoolean() && step(untilNanos)) {
            steps++;
        }
    }

    private boolean step(long untilNanos) {
        Event next = events.peek();
        able.clear();
        for (int i = 0; i < loops.size(); i++) {
            if (loops.get(i).canWork(now)) {
                able.add(loops.get(i));
            }
        }
        boolean due = next != null && next.at <= now;
        int choices = able.size() + (due ? 1 : 0);
        if (choices == 0) {
            return moveTime(untilNanos);
        }
        int choice = draw(choices);
        if (choice < able.size()) {
            turn(able.get(choice));
        } else {
            happen(events.poll());
        }
        return true;
    }

    private void turn(Driven driven) {
        driven.turns++;
        depth++;
        turning = true;
        try {
            driven.loop.turn();
        } finally {
            turning = false;
            depth--;
        }
    }

    private boolean moveTime(long untilNanos) {
        long next = events.isEmpty() ? Long.MAX_VALUE : events.peek().at;
        for (Driven each : loops) {
            if (!each.loop.loop().isTerminated()) {
                long deadline = each.loop.hasWork() || each.isPending() ? now
                        : each.loop.nextDeadline();
                next = Math.min(next, deadline == Long.MAX_VALUE ? deadline : Math.max(deadline, each.stalledUntil));
            }
        }
        if (next == Long.MAX_VALUE || next > untilNanos) {
            now = untilNanos == Long.MAX_VALUE ? now : Math.max(now, untilNanos);
            return false;
        }
        now = Math.max(now, next);
        return true;
    }

    /** The number of the turn that a loop takes at the moment, -1 if none does. */
    public long turn() {
        return turning ? turns() : -1;
    }

    long turns() {
        return loops.stream().mapToLong(each -> each.turns).sum();
    }
}
