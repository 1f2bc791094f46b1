// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.spring.MethodThreads;
import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.annotation.NetioListener;
import io.reactivenetio.spring.annotation.NetioListenerContainer;
import io.reactivenetio.spring.annotation.NetioListenerRegistry;
import io.reactivenetio.spring.annotation.NetioListenerState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import reactor.core.publisher.Mono;

/** The listeners of an application: an internal class, whose users see {@link NetioListenerRegistry}. */
public final class ListenerRegistry implements NetioListenerRegistry, DisposableBean {
    private static final Logger LOG = LoggerFactory.getLogger(NetioListener.class);

    private final Map<String, ListenerContainer> listeners = new LinkedHashMap<>();
    private final List<Consumer<ListenerContainer>> watchers = new ArrayList<>();
    private final NetioKeepAlive keepAlive;
    private volatile boolean running;

    /** {@code keepAlive} is held while there are listeners. */
    public ListenerRegistry(NetioKeepAlive keepAlive) {
        this.keepAlive = keepAlive;
    }

    /** Adds a listener before the application's lifecycle starts. False if there is one of its id already. */
    synchronized boolean add(ListenerContainer listener) {
        boolean added = listeners.putIfAbsent(listener.id(), listener) == null;
        if (added) {
            watchers.forEach(watcher -> watcher.accept(listener));
        }
        return added;
    }

    /** {@code watcher} gets each listener that there is, and each that is added. */
    public synchronized void watch(Consumer<ListenerContainer> watcher) {
        watchers.add(watcher);
        listeners.values().forEach(watcher);
    }

    @Override
    public synchronized Collection<NetioListenerContainer> listeners() {
        return List.copyOf(listeners.values());
    }

    @Override
    public synchronized NetioListenerContainer listener(String id) {
        NetioListenerContainer found = listeners.get(id);
        if (found == null) {
            throw new IllegalArgumentException("no listener '" + id + "': there are " + listeners.keySet());
        }
        return found;
    }

    @Override
    public void start(String id) {
        listener(id).start();
    }

    @Override
    public Mono<Void> stop(String id) {
        return listener(id).stop();
    }

    /** All listeners, with what only the starter asks them. */
    public synchronized List<ListenerContainer> all() {
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
        Object method = MethodThreads.owner();
        boolean onLoop = EventLoop.isLoopThread(Thread.currentThread());
        AtomicBoolean toldOnce = new AtomicBoolean();
        Runnable told = () -> {
            if (toldOnce.compareAndSet(false, true)) {
                keepAlive.release(this);
                callback.run();
            }
        };
        List<Mono<Void>> awaited = new ArrayList<>();
        for (ListenerContainer listener : all()) {
            boolean own = listener.isRun(method);
            Mono<Void> stopped = listener.stop();
            if (own) {
                LOG.warn("the application is stopped within a method of listener {}, which cannot wait for itself: messages that"
                        + " wait are discarded. Close the context on another thread", listener.id());
            } else {
                awaited.add(stopped);
            }
        }
        Mono.when(awaited).doFinally(signal -> told.run()).subscribe();
        if (onLoop && !toldOnce.get()) {
            LOG.warn("the application is stopped on the thread of a loop, which cannot wait for its own messages: those that are"
                    + " here are discarded. Close the context on another thread");
            told.run();
        }
    }

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
