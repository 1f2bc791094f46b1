// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SharedBuffers;
import io.reactivenetio.transport.backend.ThreadSafetyModel;
import io.reactivenetio.transport.base.send.SendPool;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one backend have in common: its configuration, its loop, its callbacks and its shared send buffers. The
 * endpoints, the listeners and what a backend keeps for them hold the context and not the backend. The backend owns it. Any
 * thread may read it.
 */
public final class BackendContext {
    /** Writes under the name that administrators know. */
    private static final LogBudget LOG = LogBudget.of("io.reactivenetio.transport.base.BackendBase");

    /** Who keeps the backend's endpoints. */
    interface EndpointListener {
        /** An endpoint has been torn down: its sends are over and its buffers are given back. On the loop. */
        void closed(Endpoint endpoint, boolean established, List<SendKey> cancelled, @Nullable NetioException cause);
    }

    private final BackendConfig config;
    private final EventLoop loop;
    private final BackendCallbacks callbacks;
    private final int headroom;
    private final boolean copies;
    private final EndpointListener endpoints;
    private final LoopAccess access;
    private final BufferPolicy bufferPolicy;
    private final @Nullable SendPool sharedSends;

    /** Allocates the shared send buffers. {@code headroom} and {@code copies} as {@link BackendBase} says. */
    BackendContext(BackendConfig config, EventLoop loop, BackendCallbacks callbacks, int headroom, boolean copies,
            EndpointListener endpoints) {
        this.config = config;
        this.loop = loop;
        this.callbacks = callbacks;
        this.headroom = headroom;
        this.copies = copies;
        this.endpoints = endpoints;
        this.access = new LoopAccess(loop, config.threadSafety());
        this.bufferPolicy = new BufferPolicy(config);
        SharedBuffers sends = config.sharedSendBuffers();
        this.sharedSends = sends == null ? null
                : SendPool.shared(loop, sends, headroom, config.threadSafety() == ThreadSafetyModel.SAFE);
    }

    public BackendConfig config() {
        return config;
    }

    public EventLoop loop() {
        return loop;
    }

    public BufferPolicy bufferPolicy() {
        return bufferPolicy;
    }

    /**
     * Logs a problem that ends no connection. What the network or the system does has no stack trace there: the text says all,
     * and peers can cause it as often as they like.
     */
    public void report(Throwable problem) {
        if (problem instanceof IOException || problem instanceof NetioException) {
            LOG.warn("{}", problem.getMessage());
        } else {
            LOG.warn("{}", problem.getMessage(), problem);
        }
    }

    /** Runs a task after a pause, unless the loop terminates before: then everything is closed anyway, and this is null. */
    public @Nullable DelayedTask after(long pause, TimeUnit unit, Runnable task) {
        return access.after(pause, unit, task);
    }

    BackendCallbacks callbacks() {
        return callbacks;
    }

    LoopAccess access() {
        return access;
    }

    int headroom() {
        return headroom;
    }

    boolean supportsCopies() {
        return copies;
    }

    /** The send buffers of all endpoints; null if each has its own. */
    @Nullable SendPool sharedSends() {
        return sharedSends;
    }

    /** Tells the owner of the endpoints that one has been torn down. On the loop. */
    void closed(Endpoint endpoint, boolean established, List<SendKey> cancelled, @Nullable NetioException cause) {
        endpoints.closed(endpoint, established, cancelled, cause);
    }
}
