// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.server;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.spring.MethodThreads;
import io.reactivenetio.spring.NetioConnectionService;
import io.reactivenetio.spring.NetioPhases;
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

    private final Duration deadline;
    private @Nullable DisposableServer open;
    private Runnable whenOver = () -> { };

    /**
     * @param limit the time that Spring gives the phase
     * @param wished how long connections may take to end by themselves; null for as long as the limit allows
     */
    NetioServerDrain(Duration limit, @Nullable Duration wished) {
        this.deadline = deadline(limit, wished);
    }

    /** From now on {@code server} is what there is to end. {@code then} is called when its connections are over. */
    synchronized void opened(DisposableServer server, Runnable then) {
        open = server;
        whenOver = then;
    }

    private synchronized void over(DisposableServer which) {
        if (open == which) {
            open = null;
            whenOver.run();
        }
    }

    private synchronized @Nullable DisposableServer open() {
        return open;
    }

    /** The time in which connections may end by themselves, so that those which do not can be closed within the limit. */
    private static Duration deadline(Duration limit, @Nullable Duration wished) {
        Duration quarter = limit.dividedBy(4);
        Duration longest = limit.minus(quarter.compareTo(LONGEST_MARGIN) < 0 ? quarter : LONGEST_MARGIN);
        return wished == null || wished.compareTo(longest) > 0 ? longest : wished;
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
        boolean onLoop = EventLoop.isLoopThread(Thread.currentThread());
        boolean waits = !onLoop && !(MethodThreads.owner() instanceof NetioConnectionService);
        if (onLoop) {
            LOG.warn("the application is stopped on the thread of a loop, which cannot wait for its own connections: they are"
                    + " closed without. Close the context on another thread");
        } else if (waits && server.connections() > 0) {
            LOG.info("netio.server waits up to {} ms for {} connections to end", deadline.toMillis(), server.connections());
        }
        server.shutdown(waits ? deadline : Duration.ZERO).doFinally(signal -> {
            over(server);
            if (waits) {
                whenStopped.run();
            }
        }).subscribe(nothing -> { }, error -> LOG.warn("the shutdown of netio.server failed", error));
        if (!waits) {
            whenStopped.run();
        }
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
