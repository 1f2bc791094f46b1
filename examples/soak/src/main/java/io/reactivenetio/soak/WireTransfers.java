// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SignalType;

/** Connections over which the server sends numbered messages, and what both sides see of them. Any thread. */
final class WireTransfers implements AutoCloseable {
    private static final Pattern PATTERN = Pattern.upTo(4_096);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(2);
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final int FEW = 50;

    private final WireFault fault;
    private final NetioLoops loops = NetioLoops.create("soak-wire", 1);
    private final DisposableServer server;
    private final NetioClient client;
    private final Faults faults = new Faults();
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger sendsOver = new AtomicInteger();
    private final AtomicInteger disposed = new AtomicInteger();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger over = new AtomicInteger();
    private final AtomicInteger complete = new AtomicInteger();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong unseen = new AtomicLong();

    WireTransfers(BackendType backend, WireFault fault) {
        this.fault = fault;
        server = NetioServer.create().host("127.0.0.1").backend(backend).runOn(loops).keepAlive(KEEP_ALIVE)
                .framing(Framing.stream().checksums(fault.checksums())).doOnConnection(this::serve).bindNow();
        client = NetioClient.create().host("127.0.0.1").backend(backend).runOn(loops).keepAlive(KEEP_ALIVE)
                .connectTimeout(CONNECT).framing(Framing.stream().checksums(fault.checksums()));
    }

    int port() {
        return server.port();
    }

    private void serve(NetioConnection connection) {
        accepted.incrementAndGet();
        connection.onDispose().subscribe(end -> { }, failure -> disposed.incrementAndGet(), disposed::incrementAndGet);
        AtomicInteger ends = new AtomicInteger();
        connection.send(Flux.range(0, fault.messages()).map(number -> (long) number), PATTERN)
                .then(connection.completeOutbound())
                .doFinally(signal -> once(ends, sendsOver, "a send")).subscribe(end -> { }, failure -> { });
    }

    private void once(AtomicInteger ends, AtomicInteger all, String what) {
        all.incrementAndGet();
        if (ends.incrementAndGet() > 1) {
            faults.add(what + " ended twice");
        }
    }

    private void failed(String what, Throwable failure) {
        if (fault.completes()) {
            faults.add(what + " failed: " + failure);
        }
    }

    /** What one connection receives. */
    private final class Received {
        private final AtomicInteger ends = new AtomicInteger();
        private long next;

        /** Returns what is wrong, or nothing. */
        String look(ByteBuffer message) {
            if (message.remaining() < Long.BYTES) {
                return "a message of " + message.remaining() + " bytes came where " + next + " was next";
            }
            long number = message.getLong();
            return number == next ? Objects.requireNonNullElse(PATTERN.fault(number, message), "")
                    : number + " came where " + next + " was next";
        }

        void take(String wrong) {
            next++;
            messages.incrementAndGet();
            if (!wrong.isEmpty() && fault.isUnseen()) {
                unseen.incrementAndGet();
            } else if (!wrong.isEmpty()) {
                faults.add(wrong);
            }
        }

        void end(SignalType signal) {
            once(ends, over, "a receive");
            if (signal == SignalType.ON_COMPLETE) {
                complete.incrementAndGet();
                if (next != fault.messages()) {
                    faults.add("complete after " + next + " messages");
                }
            }
        }
    }

    /** Opens one more connection, by that port. */
    void open(int port) {
        opened.incrementAndGet();
        client.port(port).connect().subscribe(connection -> {
            Received received = new Received();
            connection.receive(received::look).doOnNext(received::take).doFinally(signal -> {
                received.end(signal);
                connection.dispose();
            }).subscribe(each -> { }, failure -> failed("a receive", failure));
        }, failure -> {
            failed("a connect", failure);
            refused.incrementAndGet();
            over.incrementAndGet();
        });
    }

    /** Whether the server serves a new connection, which nothing disturbs, within a second. */
    boolean again() {
        Received received = new Received();
        try {
            return Boolean.TRUE.equals(client.port(port()).connect().flatMapMany(connection -> connection
                    .receive(received::look).take(FEW)
                    .doOnNext(received::take).doFinally(signal -> connection.dispose())).count()
                    .map(count -> count == FEW).block(AGAIN));
        } catch (RuntimeException e) {
            faults.add("a new connection: " + e);
            return false;
        }
    }

    /** Whether both sides of all connections have been told of their ends. */
    boolean areOver() {
        return over.get() >= opened.get() && sendsOver.get() >= accepted.get() && disposed.get() >= accepted.get()
                && server.connections() == 0;
    }

    int opened() {
        return opened.get();
    }

    int complete() {
        return complete.get();
    }

    /** Whether it came as the fault has it. */
    boolean holds() {
        return areOver() && faults.count() == 0 && over.get() == opened.get() && sendsOver.get() == accepted.get()
                && (!fault.completes() || complete.get() == opened.get());
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d opened, %d refused, %d complete, %,d messages%s; %d of %d ends here,"
                + " %d of %d there; %s", opened.get(), refused.get(), complete.get(), messages.get(),
                fault.isUnseen() ? ", " + unseen + " of them changed" : "", over.get(), opened.get(), sendsOver.get(),
                accepted.get(), faults);
    }

    @Override
    public void close() {
        server.disposeNow();
        loops.dispose();
    }
}
