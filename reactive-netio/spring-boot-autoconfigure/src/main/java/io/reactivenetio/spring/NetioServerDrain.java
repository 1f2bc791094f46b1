// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.DisposableServer;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Ends the server's connections when consumers have stopped: what is under way may complete, until shortly before the time of the
 * phase is over, and peers are told that it is a shutdown.
 */
final class NetioServerDrain implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(NetioServerDrain.class);
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(2);

    private final NetioServerLifecycle lifecycle;
    private final Duration limit;

    NetioServerDrain(NetioServerLifecycle lifecycle, Duration limit) {
        this.lifecycle = lifecycle;
        this.limit = limit;
    }

    /** The time in which connections may end by themselves, so that those which do not can be closed within the limit. */
    private Duration deadline() {
        Duration margin = limit.dividedBy(4);
        return limit.minus(margin.compareTo(LONGEST_MARGIN) < 0 ? margin : LONGEST_MARGIN);
    }

    @Override
    public void start() {
        // NetioServerLifecycle does
    }

    @Override
    public void stop() {
        stop(() -> { });
    }

    @Override
    public void stop(Runnable whenStopped) {
        DisposableServer server = lifecycle.listening();
        if (server == null) {
            whenStopped.run();
            return;
        }
        int connections = server.connections();
        if (connections > 0) {
            LOG.info("netio.server waits up to {} for {} connections to end", deadline(), connections);
        }
        server.shutdown(deadline()).doFinally(signal -> {
            lifecycle.over();
            whenStopped.run();
        }).subscribe(nothing -> { }, error -> LOG.warn("the shutdown of netio.server failed", error));
    }

    @Override
    public boolean isRunning() {
        return lifecycle.listening() != null;
    }

    @Override
    public int getPhase() {
        return NetioPhases.DRAIN;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }
}
