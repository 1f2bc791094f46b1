// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.client;

import io.reactivenetio.api.ConnectionState;
import io.reactivenetio.api.Network;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.Thrown;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import reactor.core.publisher.Flux;

/**
 * Remembers what became of the connections of one client in one use, and logs when it changes. A failure does not end with the
 * next attempt to connect: only with a connection, or when nobody wants one any more. Read on any thread.
 */
public final class ClientWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ClientWatch.class);

    /** What is known of the connections. */
    public enum Status { UNUSED, CONNECTING, UP, DOWN }

    /**
     * What is known at a moment.
     *
     * @param since since when it is {@code status}
     * @param peer the peer that it is or was connected to; null if it never was
     * @param network what carries the connection, or carried the last; null if there never was one
     * @param reason why it is DOWN, as the last attempt has it, or why the last connection has ended; null if there is none
     */
    public record View(Status status, Instant since, @Nullable String peer, @Nullable Network network,
            @Nullable Throwable reason) {
    }

    private final String name;
    private final boolean lasting;
    private volatile View view = new View(Status.UNUSED, Instant.now(), null, null, null);

    /**
     * @param name what logs call the client and its use
     * @param lasting whether a connection that is lost is wanted back, as for subscriptions. Otherwise nobody may want another
     *     one, and only an attempt that fails is a failure
     */
    ClientWatch(String name, boolean lasting, Flux<ConnectionState> states) {
        this.name = name;
        this.lasting = lasting;
        states.subscribe(this::changed);
    }

    /** What is known now. */
    public View view() {
        return view;
    }

    /** Called by one thread at a time, in order. */
    private void changed(ConnectionState state) {
        View last = view;
        String peer = state.remoteAddress() == null ? null : state.remoteAddress().toString();
        switch (state.status()) {
            case NEW -> view = new View(Status.UNUSED, state.since(), peer, state.network(), null);
            case CONNECTING -> {
                if (last.status() != Status.DOWN) {
                    view = new View(Status.CONNECTING, state.since(), peer, state.network(), null);
                }
            }
            case CONNECTED -> {
                view = new View(Status.UP, state.since(), peer, state.network(), null);
                LOG.atLevel(lasting ? Level.INFO : Level.DEBUG).log("{} is connected to {} over {}", name, peer, state.network());
            }
            case DISCONNECTED -> disconnected(last, state, peer);
            default -> throw new AssertionError(state.status());
        }
    }

    private void disconnected(View last, ConnectionState state, @Nullable String peer) {
        Throwable reason = state.reason();
        boolean wasUp = last.status() == Status.UP;
        if (reason == null || endedHere(reason)) {
            view = new View(Status.UNUSED, state.since(), peer, state.network(), null);
        } else if (wasUp && !lasting) {
            view = new View(Status.UNUSED, state.since(), peer, state.network(), reason);
        } else {
            boolean wasDown = last.status() == Status.DOWN;
            view = new View(Status.DOWN, wasDown ? last.since() : state.since(), peer, state.network(), reason);
            String what = wasUp ? "has lost its connection" : wasDown ? "is still not connected"
                    : NetioSubscriber.isTransient(reason) ? "cannot connect yet" : "cannot connect";
            LOG.atLevel(lasting && !wasDown ? Level.WARN : Level.DEBUG).log("{} {}: {}", name, what, Thrown.text(reason));
        }
    }

    /** Whether nobody here wanted the connection, or the attempt, any more. The library says so in its text only. */
    private static boolean endedHere(Throwable reason) {
        return reason instanceof CancellationException || String.valueOf(reason.getMessage()).contains(" was closed here");
    }
}
