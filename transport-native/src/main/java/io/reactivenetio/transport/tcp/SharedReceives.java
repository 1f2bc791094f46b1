// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.base.BackendContext;
import io.reactivenetio.transport.base.receive.SharedReceivePool;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Receive buffers that several connections share. A connection that keeps its messages is not read while others have none. A
 * connection whose peer leaves a message unfinished is closed when others have waited long enough. Confined to the loop.
 */
final class SharedReceives extends SharedReceivePool<TcpEndpoint> {
    private final BackendContext context;
    private boolean checkScheduled;

    SharedReceives(BackendContext context, ConnectionParameters parameters) {
        super(context.loop(), context.bufferPolicy().receives(parameters));
        this.context = context;
    }

    @Override
    protected void onFree() {
        // the pool calls the next connection that waits
    }

    /** One of the connections waits for a buffer. */
    void onWaiting() {
        if (!checkScheduled && context.after(nanos(), TimeUnit.NANOSECONDS, this::checkStalled) != null) {
            checkScheduled = true;
        }
    }

    private long nanos() {
        return Durations.nanos(context.config().starvationTimeout());
    }

    private void checkStalled() {
        checkScheduled = false;
        boolean waiting = false;
        @Nullable TcpEndpoint stalling = null;
        for (TcpEndpoint user : users()) {
            waiting |= user.isWaiting();
            stalling = user.stalls(nanos()) ? user : stalling;
        }
        if (!waiting) {
            return;
        }
        if (stalling != null) {
            stalling.close(new NetioException(stalling.handle() + " began a message more than "
                    + Durations.millis(context.config().starvationTimeout()) + " ms ago and has not finished it, while others"
                    + " wait for the shared receive buffers"));
        }
        onWaiting();
    }
}
