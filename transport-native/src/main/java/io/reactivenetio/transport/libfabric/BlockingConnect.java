// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FabricException;
import io.reactivenetio.ffm.FiEndpoint;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.loop.EventLoop;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * fi_connect on a thread of its own, for a provider whose fi_connect waits for the peer's kernel: minutes, where nobody answers.
 * While it lasts nobody else calls the endpoint, and all it was made of stays open.
 */
final class BlockingConnect implements Runnable {
    /** Attempts under way at a time, over all loops; others wait, and those given up meanwhile are never made. */
    private static final int THREADS = 16;
    private static final Duration LOOP_END = Duration.ofMinutes(10);
    private static final ThreadPoolExecutor EXECUTOR = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("netio-connector-", 0).factory());

    static {
        EXECUTOR.allowCoreThreadTimeOut(true);
    }

    /** Who waits for it. */
    interface Owner {
        /** Told once. On the loop, or, when there is no loop any more, elsewhere, when nobody else can look. */
        void onConnectReturned(@Nullable FabricException failure);
    }

    private final EventLoop loop;
    private final FiEndpoint endpoint;
    private final FiInfo target;
    private final byte[] data;
    private final Owner owner;
    private volatile boolean givenUp;

    BlockingConnect(EventLoop loop, FiEndpoint endpoint, FiInfo target, byte[] data, Owner owner) {
        this.loop = loop;
        this.endpoint = endpoint;
        this.target = target;
        this.data = data;
        this.owner = owner;
    }

    void start() {
        EXECUTOR.execute(this);
    }

    /** Nobody waits for the connection any more. One that is under way goes on all the same. */
    void giveUp() {
        givenUp = true;
    }

    @Override
    public void run() {
        @Nullable FabricException failure = givenUp ? null : connect();
        try {
            loop.execute(() -> owner.onConnectReturned(failure));
        } catch (RejectedExecutionException terminating) {
            afterTheLoop(failure);
        }
    }

    private @Nullable FabricException connect() {
        try {
            endpoint.connect(target, data);
            return null;
        } catch (FabricException e) {
            return e;
        }
    }

    /** What is confined to the loop is safe to touch once that has ended; one thread at a time, as if this were the loop. */
    private void afterTheLoop(@Nullable FabricException failure) {
        try {
            if (loop.awaitTermination(LOOP_END)) {
                synchronized (loop) {
                    owner.onConnectReturned(failure);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody interrupts these threads; what is open stays so
        }
    }
}
