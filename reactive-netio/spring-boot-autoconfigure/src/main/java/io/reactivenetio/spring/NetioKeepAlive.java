// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;

/**
 * Keeps the JVM alive while somebody waits for messages, such as a server that listens. The loops do not, as their threads are
 * daemons. All methods may be called on any thread.
 */
public final class NetioKeepAlive implements DisposableBean {
    private final Set<Object> holders = new HashSet<>();
    private @Nullable CountDownLatch end;

    /** Keeps nothing alive yet. */
    public NetioKeepAlive() {
    }

    /** Keeps the JVM alive until {@link #release} with the same {@code holder}, or the application context closes. */
    public synchronized void hold(Object holder) {
        holders.add(holder);
        if (end == null) {
            CountDownLatch latch = new CountDownLatch(1);
            end = latch;
            Thread.ofPlatform().name("netio-keep-alive").daemon(false).start(() -> await(latch));
        }
    }

    /** Ends what {@link #hold} has begun. */
    public synchronized void release(Object holder) {
        holders.remove(holder);
        endIfUnused();
    }

    @Override
    public synchronized void destroy() {
        holders.clear();
        endIfUnused();
    }

    private void endIfUnused() {
        CountDownLatch latch = end;
        if (holders.isEmpty() && latch != null) {
            latch.countDown();
            end = null;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            // somebody wants this thread to end, and nothing else depends on it
        }
    }
}
