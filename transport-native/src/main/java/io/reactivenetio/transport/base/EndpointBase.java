// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.SendBuffer;
import io.reactivenetio.transport.SendStatus;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection, from the first attempt to the last callback; the backend's subclass does its input and output. Confined to
 * its loop.
 *
 * <p>It is closed in two steps: {@link #close} marks it, so that nothing more is sent or delivered, and the teardown runs at the
 * end of the loop's turn, when no call or callback of this endpoint is on the stack any more.
 */
public abstract class EndpointBase {
    private enum State { OPENING, ESTABLISHED, CLOSING, CLOSED }

    private final BackendBase<?, ?> backend;
    private final Endpoint handle;
    private final ReceivePool receives;
    private final SendPool sends;
    private State state = State.OPENING;
    private @Nullable NetioException cause;
    private @Nullable DelayedTask deadline;
    private boolean wasEstablished;
    private boolean offering;

    /** {@code headroom}: bytes before each send buffer for the backend's use. */
    protected EndpointBase(BackendBase<?, ?> backend, InetSocketAddress remote, @Nullable ListenEndpoint parent,
            ConnectionParameters parameters, int headroom) {
        this.backend = backend;
        this.handle = new Endpoint(remote, parent, this);
        @Nullable ReceivePool pool = null;
        try {
            pool = new ReceivePool(backend.loop(), parameters.receiveBufferSize(), parameters.receiveBuffers(),
                    this::onReceiveBufferHome);
            this.sends = new SendPool(backend.loop(), parameters.sendBufferSize(), parameters.sendBuffers(), headroom,
                    this::offerAtEndOfTurn);
        } catch (OutOfMemoryError e) {
            if (pool != null) {
                pool.close(0); // the half that there was memory for
            }
            throw new NetioException("no memory for the buffers of a connection, " + parameters.receiveBuffers() + " x "
                    + parameters.receiveBufferSize() + " + " + parameters.sendBuffers() + " x " + parameters.sendBufferSize()
                    + " bytes: use fewer or smaller ones", e);
        }
        this.receives = pool;
    }

    // ---- what a backend does

    /** Takes a send buffer over, and with OK the duty to tell its end; after FAILED the connection has to be closed. */
    protected abstract SendStatus post(SendSlot slot, CompletionLevel level);

    /** A receive buffer came home: it can be filled again. */
    protected abstract void onReceiveBufferHome();

    /** See {@link io.reactivenetio.transport.NetworkBackend#creditsPosted}. */
    protected abstract int creditsPosted();

    /**
     * Gives back everything but the buffers, and tells the sends that completed meanwhile. Called once, by the teardown.
     *
     * @param established whether the connection ever was
     * @return how many receive buffers are taken and will not be put back
     */
    protected abstract int releaseAll(boolean established);

    /** How long a connection that we close in order stays open underneath, for what the backend has still to do. */
    protected long lingerMillis() {
        return 0;
    }

    // ---- for the backend

    public final Endpoint handle() {
        return handle;
    }

    protected final ReceivePool receives() {
        return receives;
    }

    protected final SendPool sends() {
        return sends;
    }

    public final boolean isOpening() {
        return state == State.OPENING;
    }

    public final boolean isEstablished() {
        return state == State.ESTABLISHED;
    }

    public final boolean isClosed() {
        return state == State.CLOSING || state == State.CLOSED;
    }

    /** The connection is up. Nothing if it was before, or is closed. */
    protected final void established() {
        if (state == State.OPENING) {
            state = State.ESTABLISHED;
            wasEstablished = true;
            cancelDeadline();
            guard(() -> callbacks().onConnectionEstablished(handle));
            offerAtEndOfTurn(); // to whoever was turned away before
        }
    }

    /** A message of {@code length} bytes is in a buffer that was taken: it is the owner's now. */
    protected final void deliver(ReceiveSlot slot, int length) {
        slot.received(length);
        try {
            if (!isClosed()) {
                callbacks().onData(handle, slot);
            }
        } catch (Throwable t) {
            failed(t);
        }
        try {
            slot.release();
        } catch (IllegalStateException e) { // the callback released what it did not retain; the rest of the batch must go on
            failed(e);
        }
    }

    /** A send is over. */
    protected final void sendCompleted(int key) {
        if (sends.completed(key)) {
            try {
                callbacks().onSendCompleted(handle, key);
            } catch (Throwable t) {
                failed(t);
            }
        }
    }

    /** After each batch of completed sends: calls back who was turned away. */
    protected final void offerResources() {
        offering = false;
        if (state == State.ESTABLISHED && sends.takeParked()) {
            guard(() -> callbacks().onResourcesAvailable(handle));
        }
    }

    private void offerAtEndOfTurn() {
        if (!offering && !isClosed()) {
            offering = true;
            backend.loop().atEndOfTurn(this::offerResources);
        }
    }

    private BackendCallbacks callbacks() {
        return backend.callbacks();
    }

    private void guard(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable t) {
            failed(t);
        }
    }

    /** A callback threw: its own connection ends, and nothing else. */
    private void failed(Throwable t) {
        backend.loop().report(t);
        close(new NetioException("a callback of " + handle + " failed: " + t, t));
    }

    // ---- sending

    @Nullable SendBuffer getBuffer() {
        return isClosed() ? null : sends.lend();
    }

    SendStatus send(SendSlot slot, CompletionLevel level) {
        if (!slot.belongsTo(sends) || slot.state != SendSlot.State.LENT) {
            return SendStatus.FAILED;
        }
        if (isClosed()) {
            slot.release();
            return SendStatus.FAILED;
        }
        if (state == State.OPENING) {
            sends.park();
            return SendStatus.NO_RESOURCES;
        }
        if (!sends.admits()) {
            return SendStatus.NO_RESOURCES;
        }
        SendStatus status = post(slot, level);
        if (status == SendStatus.OK) {
            sends.accepted(slot);
        } else if (status == SendStatus.NO_RESOURCES) {
            sends.park();
        } else {
            slot.release();
        }
        return status;
    }

    int freeSendBuffers() {
        return isClosed() ? 0 : sends.free();
    }

    // ---- the end

    /** What will end the attempt to connect if nothing else does. */
    void deadline(@Nullable DelayedTask task) {
        deadline = task;
    }

    private void cancelDeadline() {
        DelayedTask task = deadline;
        if (task != null) {
            task.cancel();
            deadline = null;
        }
    }

    /** Ends the connection, for {@code reason} or, with null, by either side's wish. The first call counts. */
    public final void close(@Nullable NetioException reason) {
        if (!isClosed()) {
            state = State.CLOSING;
            cause = reason;
            long linger = reason == null && wasEstablished ? lingerMillis() : 0;
            if (linger <= 0 || backend.after(linger, TimeUnit.MILLISECONDS, this::teardown) == null) {
                backend.loop().atEndOfTurn(this::teardown);
            }
        }
    }

    /** The same without lingering, for a backend that closes. */
    void closeNow() {
        close(null);
        backend.loop().atEndOfTurn(this::teardown);
    }

    /** The second step, at the end of the turn: gives everything back and tells the owner. */
    private void teardown() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        cancelDeadline();
        try {
            receives.close(releaseAll(wasEstablished));
        } catch (RuntimeException e) {
            backend.loop().report(e); // whatever is left behind: the owner has to be told
        }
        List<Integer> cancelled = sends.close();
        backend.closed(this, wasEstablished, cancelled, cause);
    }
}
