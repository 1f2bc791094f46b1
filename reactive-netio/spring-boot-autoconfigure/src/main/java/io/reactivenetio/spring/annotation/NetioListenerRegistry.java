// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.spring.NetioKeepAlive;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The listeners of an application, by id. They start after everything else and stop before everything else. A stop waits until
 * the messages that are here are done, as long as {@code spring.lifecycle.timeout-per-shutdown-phase} allows; what is not done by
 * the time the beans are destroyed is aborted. All methods may be called on any thread.
 */
public final class NetioListenerRegistry implements SmartLifecycle, DisposableBean {
    private final Map<String, ListenerContainer> listeners = new LinkedHashMap<>();
    private final NetioKeepAlive keepAlive;
    private volatile boolean running;

    NetioListenerRegistry(NetioKeepAlive keepAlive) {
        this.keepAlive = keepAlive;
    }

    /** Adds a listener before the application's lifecycle starts. False if there is one of its id already. */
    synchronized boolean add(ListenerContainer listener) {
        return listeners.putIfAbsent(listener.id(), listener) == null;
    }

    /** All listeners, in no particular order. */
    public synchronized Collection<NetioListenerContainer> listeners() {
        return List.copyOf(listeners.values());
    }

    /**
     * The listener of this id.
     *
     * @throws IllegalArgumentException if there is none; it says which there are
     */
    public synchronized NetioListenerContainer listener(String id) {
        NetioListenerContainer found = listeners.get(id);
        if (found == null) {
            throw new IllegalArgumentException("no listener '" + id + "': there are " + listeners.keySet());
        }
        return found;
    }

    /**
     * Starts a listener, see {@link NetioListenerContainer#start}.
     *
     * @throws IllegalArgumentException if there is no listener of this id
     */
    public void start(String id) {
        listener(id).start();
    }

    /**
     * Stops a listener, see {@link NetioListenerContainer#stop}.
     *
     * @throws IllegalArgumentException if there is no listener of this id
     */
    public Mono<Void> stop(String id) {
        return listener(id).stop();
    }

    private synchronized List<ListenerContainer> all() {
        return List.copyOf(listeners.values());
    }

    // ---- the lifecycle of the application

    @Override
    public void start() {
        running = true;
        List<ListenerContainer> all = all();
        if (!all.isEmpty()) {
            keepAlive.hold(this);
        }
        for (ListenerContainer listener : all) {
            if (listener.state() == NetioListenerState.STOPPING) { // it was given the time to finish, and has not
                listener.abandon();
            }
            if (listener.startsByItself()) {
                listener.start();
            }
        }
    }

    @Override
    public void stop(Runnable callback) {
        running = false;
        Flux.fromIterable(all()).map(ListenerContainer::stop).collectList().flatMap(Mono::when)
                .doFinally(signal -> {
                    keepAlive.release(this);
                    callback.run();
                }).subscribe();
    }

    /** Stops all listeners, and waits until they have, at most half a minute. */
    @Override
    public void stop() {
        CountDownLatch done = new CountDownLatch(1);
        stop(done::countDown);
        try {
            if (!done.await(30, TimeUnit.SECONDS)) {
                all().forEach(ListenerContainer::abort);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** The last phase to start, and the first to stop. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }

    @Override
    public void destroy() {
        keepAlive.release(this);
        all().forEach(ListenerContainer::abort);
    }
}
