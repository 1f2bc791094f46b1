// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.simulated.SimulatedBackend;
import io.reactivenetio.simulated.SimulatedNetwork;
import io.reactivenetio.simulated.Surroundings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import reactor.core.scheduler.Schedulers;

/**
 * Hundreds of hosts with a loop each, in a simulated network, on a virtual clock. Everything happens on the thread that moves the
 * time. A loop takes a turn when it has something to do, so a host that is idle costs nothing.
 */
final class VirtualCluster implements Surroundings, AutoCloseable {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long LATENCY_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    /** What kernels and cards take of a connection before it has arrived. */
    private static final int UNDER_WAY = 16;
    /** More turns than that at one moment are a livelock. */
    private static final int MOST_TURNS = 10_000_000;

    /** A loop, what it polls, and when it is to take a turn. */
    private static final class Host {
        private final List<SimulatedBackend> backends = new ArrayList<>();
        private final SimulatedLoop loop;
        private boolean ready;
        private long due = NEVER;

        Host(VirtualCluster cluster, String name) {
            loop = new SimulatedLoop(EventLoopConfig.defaults().withName(name).withSlowTurnNanos(NEVER), () -> cluster.now,
                    () -> cluster.wake(this));
        }

        boolean hasWork() {
            return loop.hasWork() || backends.stream().anyMatch(SimulatedBackend::isPending);
        }
    }

    private record Event(long at, long order, Runnable action) {
    }

    private record Due(long at, Host host) {
    }

    private final SimulatedNetwork network = new SimulatedNetwork(this);
    private final Map<EventLoop, Host> hosts = new HashMap<>();
    private final Set<Host> alive = new LinkedHashSet<>();
    private final Deque<Host> ready = new ArrayDeque<>();
    private final PriorityQueue<Due> dues = new PriorityQueue<>((a, b) -> Long.compare(a.at, b.at));
    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) ->
            a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private final List<Throwable> errors = new ArrayList<>();
    private long now = TimeUnit.SECONDS.toNanos(1);
    private long orders;
    private long turns;

    SimulatedNetwork network() {
        return network;
    }

    /** Returns what loops have reported. */
    List<Throwable> errors() {
        return errors;
    }

    /** Returns how many turns all loops have taken. */
    long turns() {
        return turns;
    }

    /** Makes a host. It is gone when its loops are disposed of. */
    NetioLoops host(String name) {
        Host host = new Host(this, name);
        EventLoop loop = host.loop.loop();
        loop.onError(errors::add);
        hosts.put(loop, host);
        LoopContext.on(loop, (type, config, on, callbacks) -> {
            SimulatedBackend backend = new SimulatedBackend(network, type, config, on, callbacks);
            host.backends.add(backend);
            wake(host);
            return backend;
        }, Schedulers::immediate);
        alive.add(host);
        return NetioLoops.of(loop);
    }

    private void wake(Host host) {
        if (!host.ready) {
            host.ready = true;
            ready.add(host);
        }
    }

    @Override
    public void pending(EventLoop loop) {
        Host host = hosts.get(loop);
        if (host != null) {
            wake(host);
        }
    }

    @Override
    public long now() {
        return now;
    }

    @Override
    public void after(long nanos, Runnable event) {
        events.add(new Event(now + nanos, orders++, event));
    }

    @Override
    public long latencyNanos(boolean toServer) {
        return LATENCY_NANOS;
    }

    @Override
    public long answerNanos() {
        return LATENCY_NANOS;
    }

    @Override
    public int kernelMessages() {
        return UNDER_WAY;
    }

    /** Moves the time by so many nanoseconds: what is due meanwhile happens at its time. */
    void advance(long nanos) {
        advance(nanos, () -> false);
    }

    /** Moves the time until {@code condition} holds, by {@code most} nanoseconds at most. Returns whether it holds. */
    boolean advance(long most, BooleanSupplier condition) {
        long end = now + most;
        settle();
        while (!condition.getAsBoolean()) {
            long next = next();
            if (next > end) {
                now = end;
                settle();
                return condition.getAsBoolean();
            }
            now = next;
            settle();
        }
        return true;
    }

    private long next() {
        Event event = events.peek();
        Due due = dues.peek();
        return Math.max(now, Math.min(event == null ? NEVER : event.at, due == null ? NEVER : due.at));
    }

    private void settle() {
        long end = turns + MOST_TURNS;
        for (Due due = dues.peek(); due != null && due.at <= now; due = dues.peek()) {
            dues.remove();
            if (due.host.due == due.at) {
                due.host.due = NEVER;
                wake(due.host);
            }
        }
        Event event = events.peek();
        while (!ready.isEmpty() || event != null && event.at <= now) {
            if (event != null && event.at <= now) {
                events.remove().action.run();
            } else {
                turn(ready.remove());
            }
            if (turns == end) {
                throw new IllegalStateException("the cluster is busy while no time passes");
            }
            event = events.peek();
        }
    }

    /** Ends all hosts that are left, one after the other. */
    @Override
    public void close() {
        for (Host host : List.copyOf(alive)) {
            host.loop.loop().close();
            wake(host);
            settle();
        }
    }

    private void turn(Host host) {
        turns++;
        host.ready = false;
        host.loop.turn();
        if (host.loop.loop().isTerminated()) {
            alive.remove(host);
            hosts.remove(host.loop.loop());
            return;
        }
        if (host.hasWork() || host.loop.nextDeadline() <= now) {
            wake(host);
        } else if (host.loop.nextDeadline() < host.due) {
            host.due = host.loop.nextDeadline();
            dues.add(new Due(host.due, host));
        }
    }
}
