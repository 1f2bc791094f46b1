// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.mapping;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.spring.MethodThreads;
import io.reactivenetio.spring.NetioPhases;
import io.reactivenetio.spring.Thrown;
import io.reactivenetio.spring.annotation.NetioMapping;
import io.reactivenetio.spring.annotation.NetioMappings;
import io.reactivenetio.spring.security.PeerScope;
import io.reactivenetio.transport.backend.LogBudget;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The methods that answer requests: an internal class, whose users see {@link NetioMappings}. */
public final class MappingRegistry implements NetioMappings, DisposableBean {
    private static final Logger LOG = LoggerFactory.getLogger(NetioMapping.class);
    private static final LogBudget WARNINGS = LogBudget.of(NetioMapping.class);

    private final Map<String, Map<Long, MappingMethod>> mappings = new LinkedHashMap<>();
    private final Scheduler threads = Schedulers.fromExecutorService(
            Executors.newThreadPerTaskExecutor(factory()), "netio-mapping");
    private final PeerScope.Factory peers;
    private final AtomicLong working = new AtomicLong();
    private volatile @Nullable Stop stop;
    private volatile boolean running;

    /** What a stop waits for: that no more than {@code left} requests are being answered. */
    private record Stop(Sinks.Empty<Void> idle, int left) {

        void working(long requests) {
            if (requests <= left) {
                idle.tryEmitEmpty();
            }
        }
    }

    /** Has no method yet. {@code peers} says how methods see who asks. */
    public MappingRegistry(PeerScope.Factory peers) {
        this.peers = peers;
    }

    private ThreadFactory factory() {
        ThreadFactory virtual = Thread.ofVirtual().name("netio-mapping-", 1).factory();
        return task -> virtual.newThread(MethodThreads.of(this, task));
    }

    /** Adds a method for the server, whose name is empty, or a client. Returns the one that has this tag there already. */
    synchronized @Nullable MappingMethod add(String client, MappingMethod method) {
        return mappings.computeIfAbsent(client, name -> new LinkedHashMap<>()).putIfAbsent(method.tag(), method);
    }

    synchronized Collection<MappingMethod> of(String client) {
        return List.copyOf(mappings.getOrDefault(client, Map.of()).values());
    }

    /** The clients on whose connections methods answer. */
    synchronized List<String> clients() {
        return mappings.keySet().stream().filter(name -> !name.isEmpty()).toList();
    }

    @Override
    public boolean isUsed() {
        return !of("").isEmpty();
    }

    @Override
    public void serve(NetioConnection connection) {
        serve("", connection);
    }

    /** Answers requests on a connection of {@code client}; of the server, if that is empty. */
    public void serve(String client, NetioConnection connection) {
        PeerScope peer = peers.of(connection.principal());
        for (MappingMethod method : of(client)) {
            connection.respond(method.tag(), method.concurrency(), request -> answer(method, request, peer))
                    .subscribe(nothing -> { }, error -> WARNINGS.warn("{} no longer answers on {}", method, connection,
                            Thrown.loggable(error)));
        }
    }

    private Mono<ByteBuffer> answer(MappingMethod method, ByteBuffer request, PeerScope asking) {
        return Mono.defer(() -> {
            working.incrementAndGet();
            return stop == null ? method.answer(request, asking, threads)
                    : Mono.error(new IllegalStateException("the application stops, and takes no more requests"));
        }).doFinally(signal -> {
            long left = working.decrementAndGet();
            Stop now = stop;
            if (now != null) {
                now.working(left);
            }
        });
    }

    @Override
    public long inFlight() {
        return working.get();
    }

    // ---- the lifecycle of the application

    @Override
    public void start() {
        stop = null; // before it is said that it runs
        running = true;
        List<MappingMethod> all = new ArrayList<>();
        synchronized (this) {
            mappings.values().forEach(methods -> all.addAll(methods.values()));
        }
        all.forEach(MappingMethod::resolve); // lazy beans are not made on a loop
    }

    @Override
    public void stop(Runnable callback) {
        boolean onLoop = EventLoop.isLoopThread(Thread.currentThread());
        boolean own = MethodThreads.owner() == this;
        Stop now = new Stop(Sinks.empty(), onLoop ? Integer.MAX_VALUE : own ? 1 : 0);
        stop = now;
        running = false; // when no request is taken any more
        if (own || onLoop && working.get() > 0) {
            LOG.warn("the application is stopped {}, which cannot wait for itself: {}. Close the context on another thread",
                    own ? "within a method that answers a request" : "on the thread of a loop",
                    own ? "that request fails" : "requests that are being answered fail");
        }
        now.working(working.get());
        now.idle().asMono().subscribe(nothing -> { }, error -> { }, callback);
    }

    @Override
    public void stop() {
        stop(() -> { });
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before the server listens, and after it has stopped listening. */
    @Override
    public int getPhase() {
        return NetioPhases.CONSUME;
    }

    /** The server is not paused either. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public void destroy() {
        threads.dispose();
        if (MethodThreads.owner() == this) {
            Thread.interrupted(); // as a thread of these, it was interrupted itself, and has more to destroy
        }
    }
}
