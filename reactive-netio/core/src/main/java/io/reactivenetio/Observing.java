// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.ConnectionObserver.State;
import java.util.function.Consumer;

/** Turns observers into hooks of servers and clients. */
final class Observing {

    private Observing() {
    }

    /** The hook that tells {@code observer} of each new connection, on its loop. */
    static Consumer<NetioConnection> with(ConnectionObserver observer) {
        return connection -> {
            observer.onStateChange(connection, State.CONNECTED);
            connection.onDispose()
                    .doFinally(signal -> observer.onStateChange(connection, State.DISCONNECTED))
                    .subscribe();
        };
    }

    static ConnectionObserver recording(MetricsRecorder recorder) {
        return (connection, state) -> {
            if (state == State.CONNECTED) {
                connection.asked().add(new RequestRecording(recorder, connection, RequestSide.REQUESTER));
                connection.answered().add(new RequestRecording(recorder, connection, RequestSide.RESPONDER));
                recorder.opened(connection);
            } else {
                recorder.closed(connection);
            }
        };
    }
}
