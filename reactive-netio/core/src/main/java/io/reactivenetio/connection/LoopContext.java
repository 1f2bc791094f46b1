// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** One event loop on a thread of its own, with its Scheduler and its backends, one per configuration. Any thread. */
public final class LoopContext {
    static {
        Schedulers.registerNonBlockingThreadPredicate(EventLoop::isLoopThread);
    }

    /** Makes the backends of a loop. */
    @FunctionalInterface
    public interface Backends {
        NetworkBackend create(BackendType type, BackendConfig config, EventLoop loop, BackendCallbacks callbacks);

        /** Returns what AUTO may choose beside plain TCP. */
        default RdmaDevices devices() {
            return RdmaDevices.ofThisMachine();
        }

        /**
         * Returns the addresses of those devices, for a server that listens on all addresses: over verbs it listens on each.
         *
         * @throws NetioException if libfabric is not there
         */
        default List<InetAddress> rdmaAddresses() {
            return RdmaDevices.addresses(NetworkBackend.provider(BackendType.LIBFABRIC).interfaces());
        }
    }

    private record BackendKey(BackendType type, BackendConfig config) {
    }

    /** The contexts of loops that have not ended. */
    private static final Map<EventLoop, LoopContext> OPEN = new ConcurrentHashMap<>();

    /** The part of what may be in use that may be kept between messages. */
    private static final int KEPT_PART = 4;

    private final EventLoop loop;
    private final Backends makes;
    private final Supplier<Scheduler> workers;
    private final LoopResources resources;
    private final Map<BackendKey, ConnectionFactory> backends = new ConcurrentHashMap<>();

    private LoopContext(EventLoop loop, Backends makes, Supplier<Scheduler> workers) {
        this.loop = loop;
        this.makes = makes;
        this.workers = workers;
        this.resources = new LoopResources(loop);
    }

    /** Creates a loop with default limits and starts its thread. */
    public static LoopContext start(String name) {
        return start(EventLoopConfig.defaults().withName(name));
    }

    /**
     * Creates the loop and starts its thread.
     *
     * @throws IllegalArgumentException if the thread may not run on the CPU that is configured
     */
    public static LoopContext start(EventLoopConfig config) {
        LoopContext context = of(EventLoop.create(config));
        context.loop.start();
        return context;
    }

    /** The context that {@code loop} has; otherwise it gets one here, before anything else is on that loop. */
    public static LoopContext of(EventLoop loop) {
        LoopContext made = OPEN.get(loop);
        return made != null ? made : on(loop, NetworkBackend::create);
    }

    /** Makes the context of {@code loop}, before anything else is on that loop. {@code makes} creates its backends. */
    public static LoopContext on(EventLoop loop, Backends makes) {
        return on(loop, makes, Workers::scheduler);
    }

    /** The same. {@code workers} do what may block, and so not on a loop: making backends, binding. */
    public static LoopContext on(EventLoop loop, Backends makes, Supplier<Scheduler> workers) {
        LoopContext context = new LoopContext(loop, makes, workers);
        loop.onClose(() -> { // the first hook: after all connections
            OPEN.remove(loop);
            loop.atEndOfTurn(context.resources::endUnread);
        });
        OPEN.put(loop, context);
        return context;
    }

    public EventLoop loop() {
        return loop;
    }

    /** The loop's Scheduler. Disposing of it does nothing. */
    public Scheduler scheduler() {
        return resources.scheduler();
    }

    /**
     * Limits the memory of messages that have begun to arrive on this loop and not ended, to {@code bytes}, and what is kept
     * between large messages to a quarter of that. Without a call there is no limit.
     */
    public void reassemblyBudget(long bytes) {
        resources.reassembly().limit(bytes);
        resources.kept().limit(bytes / KEPT_PART);
    }

    /**
     * Ends the loop and everything on it. On another thread it returns when that is done; on a loop it returns at once, because
     * two loops must not wait for each other.
     */
    public void close() {
        resources.endScheduler();
        if (EventLoop.isLoopThread(Thread.currentThread())) {
            loop.terminate();
        } else {
            loop.close();
        }
    }

    /** The backend for {@code config}. The first call loads libraries, so it must not be made on the loop. */
    ConnectionFactory backend(ConnectionConfig config) {
        return backends.computeIfAbsent(new BackendKey(config.backendType(), config.backendConfig()), key -> {
            ConnectionFactory factory = new ConnectionFactory(resources, workers);
            factory.backend(makes.create(key.type(), key.config().withExclusive(false), loop, factory));
            return factory;
        });
    }

    /**
     * Makes the backend for {@code config}, on a worker thread, and has the loop run a task: what the first connection would wait
     * for. With AUTO these are the backends of all networks that this machine has.
     */
    public Mono<Void> warmUp(ConnectionConfig config) {
        return Mono.fromRunnable(() -> new NetworkWays(this, config).makeBackends()).subscribeOn(workers.get())
                .then(Mono.<Void>fromRunnable(() -> { }).subscribeOn(scheduler()));
    }

    /**
     * Listens. The address is resolved on a worker thread. Accepted connections go to the loops of {@code contexts} in turn, and
     * {@code onConnection} is called there with each. {@code result} makes the subscriber's element of the listener. It is called
     * before the subscriber can cancel that, because an element that is cancelled on its way to a subscriber is lost.
     */
    public <T> Mono<T> listen(SocketAddress address, ConnectionConfig config, List<LoopContext> contexts,
            Consumer<Connection> onConnection, Function<ListenerHandle, T> result) {
        Mono<T> listening = Mono.<T>create(sink -> {
            ListenerHandle handle = new ListenerHandle(loop, new Listeners(this, contexts, onConnection,
                    config.access().connectionsOfAddress()).open(address, config));
            T made;
            try {
                made = result.apply(handle);
            } catch (Throwable t) { // a hook of the user's
                handle.dispose();
                throw UserCode.rethrown(t);
            }
            sink.onCancel(handle); // closes it at once if the subscriber has cancelled already
            sink.success(made);
        }).subscribeOn(workers.get());
        // then(listening) would discard, without a word, a server that comes at the moment of a cancel
        return listening.delaySubscription(Mono.defer(() -> ListenerHandle.whenClosed(address)));
    }

    /**
     * Connects anew for each subscriber, to the first address of a host name that answers, over the fastest network that answers
     * there. The name is looked up, and the devices of this machine are counted, each time. A cancel before the connection is
     * established gives the attempt up.
     */
    public Mono<Connection> connect(SocketAddress address, ConnectionConfig config) {
        return Mono.defer(() -> new NetworkWays(this, config).connect(address));
    }

    Scheduler workers() {
        return workers.get();
    }

    Backends makes() {
        return makes;
    }
}
