// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.lifecycle.DefaultServer;
import io.reactivenetio.lifecycle.OpenConnections;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.loop.LoopStatistics;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Event loops that servers and clients run on. Each has a thread of its own, unless it is somebody else's ({@link #of}). New work
 * goes to them in turn. All methods may be called on any thread.
 */
public final class NetioLoops implements Disposable {
    /** Memory for the default reassembly budget of one connection, and for moving a message of it to a larger buffer. */
    private static final long LEAST_BUDGET = 160L << 20;

    private static @Nullable NetioLoops shared;

    private final List<LoopContext> loops;
    private final AtomicInteger turn = new AtomicInteger();
    private final Set<DefaultServer> servers = ConcurrentHashMap.newKeySet();
    private final OpenConnections connections = new OpenConnections();
    private volatile boolean disposed;

    private NetioLoops(List<LoopContext> loops) {
        this.loops = List.copyOf(loops);
    }

    /**
     * Starts {@code number} loops, whose daemon threads are named {@code name-1} and so on.
     *
     * @throws IllegalArgumentException if {@code number} is less than 1
     */
    public static NetioLoops create(String name, int number) {
        return builder().name(name).number(number).build();
    }

    /** What {@link #create} gives, to be changed: loops that spin, that have a CPU each, that keep the JVM alive. */
    public static Builder builder() {
        return new Builder(EventLoopConfig.defaults().withName("netio"), 1, null, 0);
    }

    /**
     * Loops that somebody else runs: the program's own loop embeds each and polls it, {@link EventLoop#poll}, or a thread of the
     * program's runs it. Everything happens on that thread then, as on the thread of other loops. To be called before {@code
     * hosted} run, and once for each. {@link #dispose} ends them; on another thread it waits until they were polled once more.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static NetioLoops of(EventLoop... hosted) {
        if (hosted.length == 0) {
            throw new IllegalArgumentException("the number of loops must be at least 1: 0");
        }
        return new NetioLoops(Stream.of(hosted).map(LoopContext::of).toList())
                .reassemblyBudget(defaultBudget(hosted.length));
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
     * {@link NetioAbortedException} here and with {@code LIMIT} for the peer. Unless set, these loops share half
     * of the Java heap, but each has at least 160 MiB, as far as that is not more than half of the heap. Between messages of more
     * than 1 MiB a loop keeps at most a quarter of that, for the next ones.
     *
     * @return these loops, whose budget is changed
     * @throws IllegalArgumentException if it is not positive
     */
    public NetioLoops reassemblyBudget(long bytes) {
        requireBudget(bytes);
        loops.forEach(loop -> loop.reassemblyBudget(bytes));
        return this;
    }

    private static void requireBudget(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a budget must be at least 1 byte: " + bytes);
        }
    }

    LoopContext next() {
        if (disposed) {
            throw new IllegalStateException("these loops have been disposed of");
        }
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    /** Completes when each of these loops has run a task and has what connections with {@code config} need. */
    Mono<Void> warmUp(ConnectionConfig config) {
        if (disposed) {
            throw new IllegalStateException("these loops have been disposed of");
        }
        return Flux.fromIterable(loops).flatMap(loop -> loop.warmUp(config)).then();
    }

    List<LoopContext> all() {
        return loops;
    }

    /** Keeps {@code server} among those that end with these loops, until it is over. */
    void opened(DefaultServer server) {
        servers.add(server);
        server.onDispose().subscribe(nothing -> { }, error -> { }, () -> servers.remove(server));
        if (disposed) {
            server.dispose();
        }
    }

    /** Keeps {@code connection} among those that end with these loops, until it is over. */
    void opened(NetioConnection connection) {
        connections.add(DefaultConnection.of(connection).engine());
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
     * The counters of each loop: turns and the time in them, tasks of its Scheduler and its own, those that wait, wake-ups, slow
     * turns. They go on counting. They are kept anyway and cost nothing more. To time single tasks, wrap {@link #scheduler} in
     * Reactor's {@code Micrometer.timedScheduler}.
     */
    public List<LoopStatistics> statistics() {
        return loops.stream().map(context -> context.loop().statistics()).toList();
    }

    /**
     * Ends the loops in an orderly way. Servers stop listening and close connections with subscribers of shared sources, as
     * {@link DisposableServer#shutdown} does. Nothing new is connected. Other connections go on until they end by themselves or
     * {@code deadline} is over. Then the loops end as with {@link #dispose}. A deadline of zero or less is over at once, one of
     * 292 years or more never.
     *
     * <p>This begins when the Mono is subscribed to. The Mono completes when the loops have ended.
     */
    public Mono<Void> disposeLater(Duration deadline) {
        return Mono.defer(() -> {
            disposed = true;
            List<DefaultServer> listening = List.copyOf(servers);
            listening.forEach(DefaultServer::disposeSoon);
            return Flux.fromIterable(listening).flatMap(DefaultServer::onDispose)
                    .then(connections.whenOver()).timeout(Durations.bounded(deadline), Mono.empty())
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
        servers.forEach(DefaultServer::dispose);
        loops.forEach(LoopContext::close);
    }

    /** Whether the loops have begun to end. */
    @Override
    public boolean isDisposed() {
        return disposed;
    }

    /** How loops are to be. Immutable: each method returns a changed copy. Any thread. */
    public static final class Builder {
        private final EventLoopConfig config;
        private final int number;
        private final int @Nullable [] cpus;
        /** 0 for the default. */
        private final long budget;

        private Builder(EventLoopConfig config, int number, int @Nullable [] cpus, long budget) {
            this.config = config;
            this.number = number;
            this.cpus = cpus;
            this.budget = budget;
        }

        private Builder with(EventLoopConfig value) {
            return new Builder(value, number, cpus, budget);
        }

        /** The threads are named {@code name-1}, {@code name-2} and so on. "netio" unless set. */
        public Builder name(String name) {
            return with(config.withName(Objects.requireNonNull(name, "name")));
        }

        /**
         * How many loops, each with a thread of its own. 1 unless set.
         *
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder number(int loops) {
            if (loops < 1) {
                throw new IllegalArgumentException("the number of loops must be at least 1: " + loops);
            }
            return new Builder(config, loops, cpus, budget);
        }

        /**
         * How long a loop that has run out of work looks for more before it sleeps. What comes in that time is not held up by the
         * time that the kernel takes to wake a thread; but the loop keeps a CPU busy, and loops and other threads that have to
         * share one with it become slower, not faster. A time longer than any pause, say an hour, makes a loop that never sleeps.
         * With zero, the default, {@link #adaptiveSpin} alone decides.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder spin(Duration time) {
            return with(config.withSpinNanos(nanos("spin", time)));
        }

        /**
         * Spins only while messages, acknowledgements and tasks come close together: on average, after the loop has run out
         * of work, within twice the time that a wake-up takes, and within {@code most}. The loop measures how long its wake-ups
         * by other threads take; until then it reckons with 20 us, and never with more than 100 us. When there is less to do, or
         * other threads need its CPU, it sleeps at once. Beside {@link #spin}, the longer of both times holds.
         *
         * <p>The default is 20 us, and only while tasks come close together: the demand of a Scheduler's thread, or the messages
         * of a source on one. Such a thread then finds the loop awake. Zero never spins.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder adaptiveSpin(Duration most) {
            return with(config.withAdaptiveSpinNanos(nanos("adaptiveSpin", most)));
        }

        private static long nanos(String what, Duration time) {
            if (time.isNegative()) {
                throw new IllegalArgumentException(what + ": a time must not be negative: " + time);
            }
            return Durations.nanos(time);
        }

        /**
         * The CPUs that the loops run on, one for each: the first loop's thread runs on the first of them and nowhere else, and
         * so on. Other threads may run there as well, unless the system keeps them away ({@code isolcpus}, a cpuset). Unless set,
         * loops run where the kernel puts them.
         *
         * <p>Linux hands a thread's CPU on to the threads that it starts, which then compete with the loop, and {@link
         * Runtime#availableProcessors} is 1 on such a loop. So let threads that code on the loop hands work to, those of a
         * Scheduler for example, be started elsewhere: use them once beforehand.
         *
         * @throws IllegalArgumentException if one is negative, or beyond 8,191
         */
        public Builder affinity(int... numbers) {
            for (int cpu : numbers) {
                if (cpu < 0) {
                    throw new IllegalArgumentException("affinity: the number of a CPU must be 0 or more, not " + cpu);
                }
                config.withCpu(cpu); // refuses what no CPU has
            }
            return new Builder(config, number, numbers.clone(), budget);
        }

        /**
         * How the loops wait, and how plain TCP reads and writes on them: epoll unless set, here or with the system property
         * {@code io.reactivenetio.mechanism}. docs/tuning.md says when io_uring is the better one. {@link #build} throws an
         * IllegalStateException for {@link LoopMechanism#IO_URING} where the kernel lacks or forbids it.
         */
        public Builder mechanism(LoopMechanism mechanism) {
            return with(config.withMechanism(mechanism));
        }

        /** Whether the JVM may end while the loops run, as it may unless this is set to false. */
        public Builder daemon(boolean daemon) {
            return with(config.withDaemon(daemon));
        }

        /**
         * Sets what {@link NetioLoops#reassemblyBudget} describes.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder reassemblyBudget(long bytes) {
            requireBudget(bytes);
            return new Builder(config, number, cpus, bytes);
        }

        /**
         * Makes the loops and starts their threads. They run until {@link NetioLoops#dispose}.
         *
         * @throws IllegalArgumentException if there are not as many CPUs as loops, or a thread may not run on its CPU: it says
         *         which ones this process has. No loop is left then
         */
        public NetioLoops build() {
            int[] chosen = cpus;
            if (chosen != null && chosen.length != number) {
                throw new IllegalArgumentException("affinity(" + Arrays.toString(chosen) + ") has " + chosen.length + " CPUs, and"
                        + " there are " + number + " loops: name one CPU for each loop, or set number(" + chosen.length + ")");
            }
            List<LoopContext> loops = new ArrayList<>(number);
            try {
                for (int i = 0; i < number; i++) {
                    EventLoopConfig own = config.withName(config.name() + "-" + (i + 1));
                    loops.add(LoopContext.start(chosen == null ? own : own.withCpu(chosen[i])));
                }
            } catch (Throwable t) { // or those that have been started would run for ever
                loops.forEach(LoopContext::close);
                throw t;
            }
            return new NetioLoops(loops).reassemblyBudget(budget > 0 ? budget : defaultBudget(number));
        }
    }
}
