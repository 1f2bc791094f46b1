// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;

/**
 * The attempts to connect to the addresses of one host name, in the manner of RFC 8305. The next address is tried when one has
 * failed, or has not answered for {@link #HEAD_START}. The first connection is taken, and all other attempts are given up. They
 * share one time limit. Any thread.
 *
 * @param <C> a connection
 */
final class ConnectAttempts<C> {
    /** The Connection Attempt Delay that RFC 8305 §8 recommends. */
    static final Duration HEAD_START = Duration.ofMillis(250);

    private final InetSocketAddress name;
    private final CompletableFuture<List<InetSocketAddress>> lookUp;
    private final Function<InetSocketAddress, Mono<C>> attempt;
    private final Consumer<C> discard;
    private final Scheduler timers;
    private final MonoSink<C> sink;
    private final Queue<InetSocketAddress> untried = new ArrayDeque<>();
    /** How the attempt at each address stands: a failure, or null as long as nobody has answered. Guarded by this. */
    private final Map<InetSocketAddress, @Nullable NetioException> tried = new LinkedHashMap<>();
    private final Disposable.Composite running = Disposables.composite();
    private final Disposable.Swap headStart = Disposables.swap();
    private @Nullable C connected;
    private boolean over;

    private ConnectAttempts(InetSocketAddress name, CompletableFuture<List<InetSocketAddress>> lookUp,
            Function<InetSocketAddress, Mono<C>> attempt, Consumer<C> discard, Scheduler timers, MonoSink<C> sink) {
        this.name = name;
        this.lookUp = lookUp;
        this.attempt = attempt;
        this.discard = discard;
        this.timers = timers;
        this.sink = sink;
    }

    /**
     * Connects to one of the addresses that {@code lookUp} finds for {@code name}, within {@code limit}, which includes the look
     * up. It fails with the failure of the only address, or one that names the failures of all. {@code discard} takes a
     * connection that nobody wants.
     */
    static <C> Mono<C> toAny(InetSocketAddress name, Supplier<CompletableFuture<List<InetSocketAddress>>> lookUp,
            Function<InetSocketAddress, Mono<C>> attempt, Consumer<C> discard, Duration limit, Scheduler timers) {
        return Mono.create(sink -> new ConnectAttempts<>(name, lookUp.get(), attempt, discard, timers, sink).begin(limit));
    }

    private void begin(Duration limit) {
        running.add(headStart);
        sink.onCancel(this::giveUp);
        running.add(timers.schedule(() -> fail(timedOut(limit)), Durations.nanos(limit), TimeUnit.NANOSECONDS));
        running.add(Mono.fromFuture(lookUp).subscribe(this::found, this::fail));
    }

    private void found(List<InetSocketAddress> addresses) {
        synchronized (this) {
            untried.addAll(addresses);
        }
        next();
    }

    private void next() {
        InetSocketAddress address;
        boolean more;
        synchronized (this) {
            address = over ? null : untried.poll();
            if (address == null) {
                return;
            }
            tried.put(address, null);
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
        running.add(attempt.apply(address).subscribe(this::connected, error -> failed(address, error)));
    }

    private void connected(C connection) {
        synchronized (this) {
            if (over) {
                discard.accept(connection);
                return;
            }
            over = true;
            connected = connection;
        }
        running.dispose();
        sink.success(connection);
    }

    private void failed(InetSocketAddress address, Throwable error) {
        if (!(error instanceof NetioException failure)) { // no other address would change that: the settings, or the loop
            fail(error);
            return;
        }
        boolean all;
        boolean only;
        synchronized (this) {
            tried.put(address, failure);
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
        List<String> attempts = new ArrayList<>();
        List<NetioException> failures = new ArrayList<>();
        tried.forEach((address, failure) -> {
            String where = Addresses.format(address);
            String how = failure == null ? "no answer" : String.valueOf(failure.getMessage());
            attempts.add(how.contains(where) ? how : where + ": " + how);
            if (failure != null) {
                failures.add(failure);
            }
        });
        String each = attempts.size() < 2 ? "" : " (" + String.join("; ", attempts) + ")";
        NetioException all = new NetioConnectException(what + each, failures.isEmpty() ? null : failures.getFirst());
        failures.stream().skip(1).forEach(all::addSuppressed);
        return all;
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
