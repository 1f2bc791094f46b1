// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import io.reactivenetio.transport.exceptions.NetioBindException;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The way of a backend's listen endpoints from an address to an open listener. The caller's thread resolves the address, because
 * that may block. All else happens on the loop.
 */
final class Binder<R extends AutoCloseable> {
    private final BackendBase<R, ?> backend;
    private final EventLoop loop;
    private final ListenEndpoints open;

    Binder(BackendBase<R, ?> backend, ListenEndpoints open) {
        this.backend = backend;
        this.loop = backend.loop();
        this.open = open;
    }

    /** Any thread. A caller on another thread than the loop's waits for the loop. */
    ListenEndpoint bind(SocketAddress address, ConnectionParameters parameters, @Nullable Object attachment,
            BackendChooser chooser) {
        open.requireFree(address); // before it is resolved: verbs tries the port then, and cannot say whose it is
        R where;
        try {
            where = backend.resolveLocal(address);
        } catch (UnknownHostException e) {
            throw new InvalidEndpointAddressException(String.valueOf(e.getMessage()));
        }
        if (loop.inEventLoop()) {
            return bindHere(where, address, parameters, attachment, chooser);
        }
        try {
            return LoopCall.run(loop, Durations.nanos(backend.config().connectTimeout()),
                    () -> bindHere(where, address, parameters, attachment, chooser),
                    backend::closeListenEndpoint, () -> backend.discard(where));
        } catch (RejectedExecutionException e) {
            backend.discard(where);
            throw new NetioBindException("the event loop has terminated", e);
        }
    }

    private ListenEndpoint bindHere(R where, SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        try {
            backend.checkOpen();
            open.requireFree(address);
        } catch (RuntimeException e) {
            backend.discard(where);
            throw e;
        }
        Listener listener = backend.listen(where, address, parameters, attachment, chooser);
        open.add(listener);
        return listener.handle();
    }
}
