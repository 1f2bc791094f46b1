// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;

/**
 * The attempts to connect by several ways, in the manner of RFC 8305: to the addresses of one host name, over the networks there
 * are. The next way is tried when one has failed, or has not answered for {@link #HEAD_START}. The first connection is taken, and
 * all other attempts are given up. They share one time limit. Any thread.
 *
 * @param <C> a connection
 */
final class ConnectAttempts<C> {
    /**
     * One way to connect.
     *
     * @param address for errors
     * @param network for errors if there is a choice between networks, else empty
     * @param attempt tries it when subscribed to
     */
    record Way<C>(InetSocketAddress address, String network, Mono<C> attempt) {

        String where() {
            return Addresses.format(address) + (network.isEmpty() ? "" : " over " + network);
        }
    }

    /** The Connection Attempt Delay: what RFC 8305 §8 recommends, unless a machine is so slow that it is set. */
    static final Duration HEAD_START = Duration.ofMillis(Long.getLong("io.reactivenetio.headStartMillis", 250));

    private static final Logger LOG = LoggerFactory.getLogger(ConnectAttempts.class);

    private final InetSocketAddress name;
    private final Mono<List<Way<C>>> lookUp;
    private final Consumer<C> discard;
    private final Scheduler timers;
    private final MonoSink<C> sink;
    private final Queue<Way<C>> untried = new ArrayDeque<>();
    /** How each attempt stands: a failure, or null as long as nobody has answered. Guarded by this. */
    private final Map<Way<C>, @Nullable NetioException> tried = new LinkedHashMap<>();
    private final Disposable.Composite running = Disposables.composite();
    private final Disposable.Swap headStart = Disposables.swap();
    private @Nullable C connected;
    private boolean over;

    private ConnectAttempts(InetSocketAddress name, Mono<List<Way<C>>> lookUp, Consumer<C> discard, Scheduler timers,
            MonoSink<C> sink) {
        this.name = name;
        this.lookUp = lookUp;
        this.discard = discard;
        this.timers = timers;
        this.sink = sink;
    }

    /**
     * Connects by one of the ways that {@code lookUp} finds to {@code name}, within {@code limit}, which includes the look up. It
     * fails with the failure of the only way, or one that names the failures of all. {@code discard} takes a connection that
     * nobody wants.
     */
    static <C> Mono<C> byAny(InetSocketAddress name, Mono<List<Way<C>>> lookUp, Consumer<C> discard, Duration limit,
            Scheduler timers) {
        return Mono.create(sink -> new ConnectAttempts<>(name, lookUp, discard, timers, sink).begin(limit));
    }

    private void begin(Duration limit) {
        running.add(headStart);
        sink.onCancel(this::giveUp);
        running.add(timers.schedule(() -> fail(timedOut(limit)), Durations.nanos(limit), TimeUnit.NANOSECONDS));
        running.add(lookUp.subscribe(this::found, this::fail));
    }

    private void found(List<Way<C>> ways) {
        synchronized (this) {
            untried.addAll(ways);
        }
        next();
    }

    private void next() {
        Way<C> way;
        boolean more;
        synchronized (this) {
            way = over ? null : untried.poll();
            if (way == null) {
                return;
            }
            tried.put(way, null);
            more = !untried.isEmpty();
        }
        if (more) {
            try {
                headStart.update(timers.schedule(this::next, HEAD_START.toNanos(), TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException e) { // the loop ends
                fail(e);
                return;
            }
        }
        running.add(way.attempt().subscribe(connection -> connected(way, connection), error -> failed(way, error)));
    }

    private void connected(Way<C> way, C connection) {
        String failures;
        synchronized (this) {
            if (over) {
                discard.accept(connection);
                return;
            }
            over = true;
            connected = connection;
            tried.remove(way);
            failures = tried.isEmpty() ? "" : " (" + attempts() + ")";
        }
        if (!way.network().isEmpty()) {
            LOG.info("connected to {}{}", way.where(), failures);
        }
        running.dispose();
        sink.success(connection);
    }

    private void failed(Way<C> way, Throwable error) {
        if (!(error instanceof NetioException failure)) { // no other way would change that: the settings, or the loop
            fail(error);
            return;
        }
        boolean all;
        boolean only;
        synchronized (this) {
            tried.put(way, failure);
            all = untried.isEmpty() && !tried.containsValue(null);
            only = tried.size() == 1;
        }
        if (!all) {
            next();
        } else {
            fail(only ? failure : withAttempts("cannot connect to " + Addresses.format(name)));
        }
    }

    private void fail(Throwable error) {
        if (end()) {
            sink.error(error);
        }
    }

    private NetioException timedOut(Duration limit) {
        return withAttempts("connecting to " + Addresses.format(name) + " took longer than " + Durations.millis(limit) + " ms");
    }

    private synchronized NetioException withAttempts(String what) {
        List<NetioException> failures = tried.values().stream().flatMap(Stream::ofNullable).toList();
        String each = tried.size() < 2 ? "" : " (" + attempts() + ")";
        NetioException all = new NetioConnectException(what + each, failures.isEmpty() ? null : failures.getFirst());
        failures.stream().skip(1).forEach(all::addSuppressed);
        return all;
    }

    /** How each attempt stands. With the lock. */
    private String attempts() {
        return tried.entrySet().stream().map(attempt -> {
            String where = attempt.getKey().where();
            NetioException failure = attempt.getValue();
            String how = failure == null ? "no answer" : String.valueOf(failure.getMessage());
            return how.contains(where) ? how : where + ": " + how;
        }).collect(Collectors.joining("; "));
    }

    /** Whether it was not over yet. */
    private boolean end() {
        synchronized (this) {
            if (over) {
                return false;
            }
            over = true;
        }
        running.dispose();
        return true;
    }

    /** A cancel. The connection may be on its way to a subscriber that will not get it. */
    private void giveUp() {
        end();
        C late;
        synchronized (this) {
            late = connected;
        }
        if (late != null) {
            discard.accept(late);
        }
    }
}
