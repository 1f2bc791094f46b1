// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.LoopContext;
import io.reactivenetio.loop.LoopStatistics;
import io.reactivenetio.transport.NetioAbortedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Event loops that servers and clients run on. Each has a thread of its own. New work goes to them in turn. All methods may be
 * called on any thread.
 */
public final class NetioLoops implements Disposable {
    /** Memory for the default reassembly budget of one connection, and for moving a message of it to a larger buffer. */
    private static final long LEAST_BUDGET = 160L << 20;

    private static @Nullable NetioLoops shared;

    private final List<LoopContext> loops;
    private final AtomicInteger turn = new AtomicInteger();
    private final Set<DisposableServer> servers = ConcurrentHashMap.newKeySet();
    private final OpenConnections connections = new OpenConnections();
    private volatile boolean disposed;

    NetioLoops(List<LoopContext> loops) {
        this.loops = List.copyOf(loops);
    }

    /**
     * Starts {@code number} loops, whose daemon threads are named {@code name-1} and so on.
     *
     * @throws IllegalArgumentException if {@code number} is less than 1
     */
    public static NetioLoops create(String name, int number) {
        if (number < 1) {
            throw new IllegalArgumentException("at least one loop: " + number);
        }
        List<LoopContext> loops = new ArrayList<>(number);
        for (int i = 1; i <= number; i++) {
            loops.add(LoopContext.start(name + "-" + i));
        }
        return new NetioLoops(loops).reassemblyBudget(defaultBudget(number));
    }

    /**
     * The loop that servers and clients share unless they are given others with {@code runOn}. It is made when first used, and
     * anew after it was disposed of.
     */
    public static synchronized NetioLoops shared() {
        NetioLoops loops = shared;
        if (loops == null || loops.isDisposed()) {
            loops = create("netio", 1);
            shared = loops;
        }
        return loops;
    }

    private static long defaultBudget(int loops) {
        long half = Runtime.getRuntime().maxMemory() / 2;
        return Math.max(half / loops, Math.min(half, LEAST_BUDGET));
    }

    /**
     * With STREAM framing: how many bytes of memory the messages in parts that have begun to arrive and not ended may take on
     * each of these loops, of all its connections together. A message takes less than four times what has arrived of it, or less
     * than 4 KiB, and no more than its size. Where more is needed, the connection that takes most is closed. It ends with a
     * {@link NetioAbortedException} here and with code 4 of docs/wire-format.md for the peer. Unless set, these loops share half
     * of the Java heap, but each has at least 160 MiB, as far as that is not more than half of the heap.
     *
     * @return these loops, whose budget is changed
     * @throws IllegalArgumentException if it is not positive
     */
    public NetioLoops reassemblyBudget(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a budget must be at least 1 byte: " + bytes);
        }
        loops.forEach(loop -> loop.reassemblyBudget(bytes));
        return this;
    }

    LoopContext next() {
        if (disposed) {
            throw new IllegalStateException("these loops have been disposed of");
        }
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    List<LoopContext> all() {
        return loops;
    }

    /** Keeps {@code server} among those that end with these loops, until it is over. */
    void opened(DisposableServer server) {
        servers.add(server);
        server.onDispose().subscribe(nothing -> { }, error -> { }, () -> servers.remove(server));
        if (disposed) {
            server.dispose();
        }
    }

    /** Keeps {@code connection} among those that end with these loops, until it is over. */
    void opened(NetioConnection connection) {
        connections.add(connection);
    }

    /**
     * The Scheduler of one of the loops, the next in turn. It ends with the loops, so disposing of it does nothing.
     *
     * @throws IllegalStateException if the loops have been disposed of
     */
    public Scheduler scheduler() {
        return next().scheduler();
    }

    /**
     * The counters of each loop: turns, tasks of its Scheduler and its own, wake-ups, slow turns. They go on counting. They are
     * kept anyway and cost nothing more. To time single tasks, wrap {@link #scheduler} in Reactor's
     * {@code Micrometer.timedScheduler}.
     */
    public List<LoopStatistics> statistics() {
        return loops.stream().map(context -> context.loop().statistics()).toList();
    }

    /**
     * Ends the loops in an orderly way. Servers stop listening and close connections with subscribers of shared sources, as
     * {@link DisposableServer#shutdown} does. Nothing new is connected. Other connections go on until they end by themselves or
     * {@code deadline} is over. Then the loops end as with {@link #dispose}.
     *
     * <p>This begins when the Mono is subscribed to. The Mono completes when the loops have ended.
     */
    public Mono<Void> disposeLater(Duration deadline) {
        return Mono.defer(() -> {
            disposed = true;
            List<DisposableServer> listening = List.copyOf(servers);
            listening.forEach(DisposableServer::disposeSoon);
            return Flux.fromIterable(listening).flatMap(DisposableServer::onDispose)
                    .then(connections.whenOver()).timeout(deadline, Mono.empty())
                    .then(Mono.<Void>fromRunnable(this::dispose).subscribeOn(Schedulers.boundedElastic()));
        });
    }

    /**
     * Ends the loops and everything on them: connections are closed, and sends in progress fail. It returns when that is done, or
     * at once when called on a loop's thread.
     */
    @Override
    public void dispose() {
        disposed = true;
        servers.forEach(DisposableServer::dispose);
        loops.forEach(LoopContext::close);
    }

    /** Whether the loops have begun to end. */
    @Override
    public boolean isDisposed() {
        return disposed;
    }
}
