// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.scheduler.LoopScheduler;
import io.reactivenetio.scheduler.SharedScheduler;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.NetworkBackend;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
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
    }

    private record BackendKey(BackendType type, BackendConfig config) {
    }

    private final EventLoop loop;
    private final Backends makes;
    private final LoopScheduler scheduler;
    private final Scheduler shared;
    private final Map<BackendKey, NetworkBackend> backends = new ConcurrentHashMap<>();

    private final ReassemblyBudget reassembly = new ReassemblyBudget(Long.MAX_VALUE);

    /** Connections that are over while messages of theirs still wait. Confined to the loop. */
    private final Set<Inbound> unread = new LinkedHashSet<>();

    /** For a loop that somebody else runs. */
    LoopContext(EventLoop loop) {
        this(loop, NetworkBackend::create);
    }

    private LoopContext(EventLoop loop, Backends makes) {
        this.loop = loop;
        this.makes = makes;
        this.scheduler = new LoopScheduler(loop);
        this.shared = new SharedScheduler(scheduler);
    }

    /** Creates a loop with default limits and starts its thread. */
    public static LoopContext start(String name) {
        return start(EventLoopConfig.defaults().withName(name));
    }

    /** Creates the loop and starts its thread. Throws IllegalArgumentException if that may not run on its CPU. */
    public static LoopContext start(EventLoopConfig config) {
        LoopContext context = on(EventLoop.create(config), NetworkBackend::create);
        context.loop.start();
        return context;
    }

    /** For a loop that somebody else runs, and that nothing is on yet. */
    public static LoopContext on(EventLoop loop, Backends makes) {
        LoopContext context = new LoopContext(loop, makes);
        loop.onClose(() -> loop.atEndOfTurn(context::endUnread)); // the first hook: after all connections
        return context;
    }

    public EventLoop loop() {
        return loop;
    }

    /** The loop's Scheduler; disposing of it does nothing. */
    public Scheduler scheduler() {
        return shared;
    }

    /** Bytes that messages which have begun to arrive and not ended may take on this loop; without limit unless set. */
    public void reassemblyBudget(long bytes) {
        reassembly.limit(bytes);
    }

    /** On the loop. */
    public ReassemblyBudget reassembly() {
        return reassembly;
    }

    Set<Inbound> unread() {
        return unread;
    }

    /** After this nobody asks for what waits: its memory goes, and its subscribers are told. */
    private void endUnread() {
        for (Inbound inbound : List.copyOf(unread)) {
            try {
                inbound.discard();
            } catch (Throwable t) {
                loop.report(t);
            }
        }
    }

    /** Ends the loop and everything on it; returns when that is done, or at once on a loop: two must not wait for each other. */
    public void close() {
        scheduler.dispose();
        if (EventLoop.isLoopThread(Thread.currentThread())) {
            loop.terminate();
        } else {
            loop.close();
        }
    }

    /** Loads libraries the first time, so not for the loop. */
    private NetworkBackend backend(ConnectionConfig config) {
        return backends.computeIfAbsent(new BackendKey(config.backendType(), config.backendConfig()), key -> {
            CallbackDispatch dispatch = new CallbackDispatch(this);
            NetworkBackend made = makes.create(key.type(), key.config().withExclusive(false), loop, dispatch);
            dispatch.backend(made);
            return made;
        });
    }

    /**
     * Listens on a worker's time. Accepted connections go to the loops of {@code contexts} in turn, and there each is given to
     * {@code onConnection}. {@code result} makes what the subscriber gets; it is called before that can be cancelled, because
     * what is cancelled on its way to a subscriber is lost.
     */
    public <T> Mono<T> listen(InetSocketAddress address, ConnectionConfig config, List<LoopContext> contexts,
            Consumer<Connection> onConnection, Function<ListenerHandle, T> result) {
        return Mono.<T>create(sink -> {
            NetworkBackend backend = backend(config);
            List<NetworkBackend> accepting = contexts.stream().map(context -> context.backend(config)).toList();
            AtomicInteger turn = new AtomicInteger();
            ListenerHandle listening = new ListenerHandle(loop, backend, backend.openListenEndpoint(address,
                    config.endpointParameters(false), new CallbackDispatch.Acceptor(config, onConnection),
                    remote -> accepting.get(Math.floorMod(turn.getAndIncrement(), accepting.size()))));
            T made;
            try {
                made = result.apply(listening);
            } catch (Throwable t) { // a hook of the user's
                listening.dispose();
                throw t;
            }
            sink.onCancel(listening); // at once if nobody waits for it any more
            sink.success(made);
        }).subscribeOn(Schedulers.boundedElastic());
    }

    /** Connects anew for each subscriber; a cancel before the connection is there gives the attempt up. */
    public Mono<Connection> connect(InetSocketAddress address, ConnectionConfig config) {
        return Mono.fromCallable(() -> backend(config))
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(backend -> Mono.create(sink -> connect(backend, address, config, sink)));
    }

    private void connect(NetworkBackend backend, InetSocketAddress address, ConnectionConfig config, MonoSink<Connection> sink) {
        try {
            loop.execute(() -> {
                try {
                    Endpoint endpoint = backend.openActiveEndpoint(address, config.endpointParameters(true));
                    CallbackDispatch.Connecting attempt = new CallbackDispatch.Connecting(config, sink);
                    endpoint.attach(attempt);
                    sink.onCancel(() -> giveUp(backend, endpoint, attempt));
                } catch (RuntimeException e) {
                    sink.error(e);
                }
            });
        } catch (RejectedExecutionException e) {
            sink.error(e);
        }
    }

    private void giveUp(NetworkBackend backend, Endpoint endpoint, CallbackDispatch.Connecting attempt) {
        attempt.cancel();
        try {
            loop.execute(() -> {
                if (endpoint.attachment() instanceof Connection flow) {
                    flow.dispose(); // established in the same moment, and given to nobody
                } else {
                    backend.closeActiveEndpoint(endpoint);
                }
            });
        } catch (RejectedExecutionException e) {
            // the loop has closed it
        }
    }
}
