// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.DisposableServer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Ends the server's connections when consumers have stopped: what is under way may complete, until shortly before the time of the
 * phase is over, and peers are told that it is a shutdown. {@link NetioServerLifecycle} depends on this bean and not the other
 * way round, as Spring stops what depends on a bean with that bean, in whatever phase it is.
 */
final class NetioServerDrain implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(NetioServerDrain.class);
    private static final Duration LONGEST_MARGIN = Duration.ofSeconds(2);

    private final Duration limit;
    private @Nullable DisposableServer open;
    private Runnable whenOver = () -> { };

    NetioServerDrain(Duration limit) {
        this.limit = limit;
    }

    /** From now on {@code server} is what there is to end. {@code then} is called when its connections are over. */
    synchronized void opened(DisposableServer server, Runnable then) {
        open = server;
        whenOver = then;
    }

    private synchronized void over() {
        open = null;
        whenOver.run();
    }

    private synchronized @Nullable DisposableServer open() {
        return open;
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
        DisposableServer server = open();
        if (server == null) {
            whenStopped.run();
            return;
        }
        int connections = server.connections();
        if (connections > 0) {
            LOG.info("netio.server waits up to {} for {} connections to end", deadline(), connections);
        }
        server.shutdown(deadline()).doFinally(signal -> {
            over();
            whenStopped.run();
        }).subscribe(nothing -> { }, error -> LOG.warn("the shutdown of netio.server failed", error));
    }

    @Override
    public boolean isRunning() {
        return open() != null;
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
