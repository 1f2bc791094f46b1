// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What one side of a connection does in a round, as in the C program: messages carry their number, -1 ends the round, is answered
 * with one message, and then the sender closes. Confined to the loop.
 */
abstract class Role implements BackendCallbacks {
    static final long LAST = -1;

    final Work work;
    final Meter meter;
    private final CompletableFuture<Outcome> done = new CompletableFuture<>();
    private @Nullable NetworkBackend backend;
    private @Nullable SendBuffer unsent;

    Role(Work work) {
        this.work = work;
        this.meter = new Meter(work);
    }

    void use(NetworkBackend newBackend) {
        backend = newBackend;
    }

    /** Completes when the connection is over. */
    CompletableFuture<Outcome> done() {
        return done;
    }

    /** What was measured, or null if the round did not come to its end. */
    abstract @Nullable Outcome outcome();

    /** Number {@code number} arrived. */
    abstract void arrived(Endpoint endpoint, long number);

    /** Sends one message. False if there is no room: {@link #onResourcesAvailable} follows. */
    final boolean send(Endpoint endpoint, long number) {
        NetworkBackend open = Objects.requireNonNull(backend);
        SendBuffer buffer = unsent;
        if (buffer == null) {
            buffer = open.getBuffer(endpoint);
            if (buffer == null) {
                return false;
            }
        }
        buffer.data().putLong(0, number);
        buffer.length(work.size());
        SendStatus status = open.sendBuffer(endpoint, buffer, SendCompletion.TRANSMITTED);
        unsent = status == SendStatus.NO_RESOURCES ? buffer : null;
        if (status == SendStatus.FAILED) {
            throw new IllegalStateException("sending message " + number + " failed");
        }
        return status == SendStatus.OK;
    }

    final void close(Endpoint endpoint) {
        Objects.requireNonNull(backend).closeActiveEndpoint(endpoint);
    }

    static void expect(long number, long expected) {
        if (number != expected) {
            throw new IllegalStateException("message " + number + " instead of " + expected);
        }
    }

    /** Nothing is kept here, and C has no garbage. */
    @Override
    public final boolean reusesHandles() {
        return true;
    }

    @Override
    public final void onData(Endpoint endpoint, ReceivedBuffer buffer) {
        if (buffer.length() != work.size()) {
            throw new IllegalStateException("a message of " + buffer.length() + " bytes, not " + work.size());
        }
        arrived(endpoint, buffer.data().getLong(0));
    }

    @Override
    public final void onConnectionRefused(Endpoint endpoint, NetioException reason) {
        done.completeExceptionally(reason);
    }

    @Override
    public final void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
        Outcome outcome = outcome();
        if (outcome != null) {
            done.complete(outcome);
        } else {
            done.completeExceptionally(cause != null ? cause : new NetioException("the other side closed amid a round"));
        }
    }
}
