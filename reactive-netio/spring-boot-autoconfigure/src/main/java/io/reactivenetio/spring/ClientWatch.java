// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.ConnectionState;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;

/**
 * Remembers what became of the connections of one client in one use, and logs when it changes. An attempt to connect again does
 * not end a failure: only a connection does, or nobody wanting one any more. Read on any thread.
 */
final class ClientWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ClientWatch.class);

    /** What is known of the connections. */
    enum Status { UNUSED, CONNECTING, UP, DOWN }

    /**
     * What is known at a moment.
     *
     * @param since since when it is {@code status}
     * @param peer the peer that it is or was connected to; null if it never was
     * @param reason why it is DOWN, as the last attempt has it; null in every other status
     */
    record View(Status status, Instant since, @Nullable String peer, @Nullable Throwable reason) {
    }

    private final String name;
    private volatile View view = new View(Status.UNUSED, Instant.now(), null, null);

    /** {@code name} is what logs call the client and its use. */
    ClientWatch(String name, Flux<ConnectionState> states) {
        this.name = name;
        states.subscribe(this::changed);
    }

    View view() {
        return view;
    }

    /** Called by one thread at a time, in order. */
    private void changed(ConnectionState state) {
        View last = view;
        String peer = state.remoteAddress() == null ? null : state.remoteAddress().toString();
        Throwable reason = state.reason();
        switch (state.status()) {
            case NEW -> view = new View(Status.UNUSED, state.since(), peer, null);
            case CONNECTING -> {
                if (last.status() != Status.DOWN) {
                    view = new View(Status.CONNECTING, state.since(), peer, null);
                }
            }
            case CONNECTED -> {
                view = new View(Status.UP, state.since(), peer, null);
                LOG.info("{} is connected to {}", name, peer);
            }
            case DISCONNECTED -> {
                if (reason == null || endedHere(reason)) {
                    view = new View(Status.UNUSED, state.since(), peer, null);
                } else {
                    view = new View(Status.DOWN, last.status() == Status.DOWN ? last.since() : state.since(), peer, reason);
                    log(last, reason);
                }
            }
            default -> throw new AssertionError(state.status());
        }
    }

    private void log(View last, Throwable reason) {
        if (last.status() == Status.DOWN) {
            LOG.debug("{} is still not connected: {}", name, reason.toString());
        } else if (last.status() == Status.UP) {
            LOG.warn("{} has lost its connection with {}: {}", name, last.peer(), reason.toString());
        } else {
            LOG.warn("{} cannot connect{}: {}", name, NetioSubscriber.mayPass(reason) ? " yet" : "", reason.toString());
        }
    }

    /** Whether nobody here wanted the connection, or the attempt, any more. The library says so in its text only. */
    static boolean endedHere(Throwable reason) {
        return reason instanceof CancellationException || String.valueOf(reason.getMessage()).contains(" was closed here");
    }
}
