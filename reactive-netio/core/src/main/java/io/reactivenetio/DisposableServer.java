// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.Listening;
import io.reactivenetio.transport.Addresses;
import java.net.InetSocketAddress;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A server that listens. Any thread. */
public final class DisposableServer implements Disposable {
    private final Listening listening;

    DisposableServer(Listening listening) {
        this.listening = listening;
    }

    /** The address really bound. */
    public InetSocketAddress address() {
        return listening.address();
    }

    /** The port really bound. */
    public int port() {
        return listening.address().getPort();
    }

    /** Stops listening. Connections that were accepted live on. */
    @Override
    public void dispose() {
        listening.dispose();
    }

    @Override
    public boolean isDisposed() {
        return listening.isDisposed();
    }

    /** Completes when it no longer listens. */
    public Mono<Void> onDispose() {
        return listening.onDispose();
    }

    @Override
    public String toString() {
        return "server on " + Addresses.format(listening.address());
    }
}
