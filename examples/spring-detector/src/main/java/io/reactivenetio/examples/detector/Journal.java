// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.api.ConnectionState;
import io.reactivenetio.spring.NetioClients;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.springframework.stereotype.Component;

/** The last things that have happened: connections that were made and lost, and what the page's buttons have done. Any thread. */
@Component
final class Journal {
    static final int LINES = 12;

    record Line(Instant time, String text) {
    }

    private final Deque<Line> lines = new ArrayDeque<>();

    Journal(NetioClients clients) {
        for (String name : clients.names()) {
            clients.subscriber(name).states()
                    .filter(state -> state.isConnected() || state.reason() != null)
                    .distinctUntilChanged(ConnectionState::isConnected) // and not each attempt to connect again
                    .subscribe(state -> add(text(name, state)));
        }
    }

    private static String text(String name, ConnectionState state) {
        Throwable reason = state.reason();
        return reason == null ? "the " + name + " is connected with " + state.remoteAddress()
                : "the " + name + " is not connected: " + reason.getMessage();
    }

    synchronized void add(String text) {
        lines.addFirst(new Line(Instant.now(), text));
        if (lines.size() > LINES) {
            lines.removeLast();
        }
    }

    /** The last one first. */
    synchronized List<Line> lines() {
        return List.copyOf(lines);
    }
}
