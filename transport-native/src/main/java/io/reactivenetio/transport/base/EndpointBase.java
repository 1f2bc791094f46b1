// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.base.receive.ReceivePool;
import io.reactivenetio.transport.base.receive.ReceiveShare;
import io.reactivenetio.transport.base.receive.ReceiveSlot;
import io.reactivenetio.transport.base.send.EndpointSends;
import io.reactivenetio.transport.base.send.GatherPool;
import io.reactivenetio.transport.base.send.GatherSlot;
import io.reactivenetio.transport.base.send.SendPool;
import io.reactivenetio.transport.base.send.Transmitter;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioCloseException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The life of one connection, from the first attempt to the last callback. {@link EndpointBuffers} has its buffers and {@link
 * EndpointSends} its sends. The backend's subclass does the input and output. Confined to its loop, but for the sends of a SAFE
 * backend.
 *
 * <p>A connection is closed in two steps. {@link #close} marks it, so that nothing more is sent or delivered. The teardown runs
 * at the end of the loop's turn, when no call or callback of this endpoint is on the stack.
 */
public abstract class EndpointBase extends Transmitter {
    private enum State { OPENING, ESTABLISHED, CLOSING, CLOSED }

    private final BackendContext context;
    private final Endpoint handle;
    private final boolean freshHandles;
    private final EndpointBuffers buffers;
    private final EndpointSends sends;
    private volatile State state = State.OPENING;
    private @Nullable NetioException cause;
    private @Nullable DelayedTask deadline;
    private boolean wasEstablished;
    private boolean offering;

    /** Allocates what the parameters ask for. Any thread. */
    protected EndpointBase(BackendContext context, SocketAddress remote, @Nullable ListenEndpoint parent,
            ConnectionParameters parameters) {
        this.context = context;
        this.handle = new Endpoint(remote, parent, this);
        handle.callbacks(context.callbacks());
        this.freshHandles = !context.callbacks().reusesHandles();
        try {
            this.buffers = new EndpointBuffers(context, parameters, this::onReceiveBufferFree);
            this.sends = buffers.openSends(this, freshHandles);
        } catch (OutOfMemoryError e) {
            throw new NetioException("no memory for the buffers of a connection, " + parameters.receiveBuffers() + " x "
                    + parameters.receiveBufferSize() + " + " + parameters.sendBuffers() + " x " + parameters.sendBufferSize()
                    + " bytes: use fewer or smaller ones", e);
        }
    }

    // ---- what a backend does, and how it sends: see Transmitter

    /** One of the endpoint's own receive buffers is free again and can be filled. */
    protected abstract void onReceiveBufferFree();

    /** See {@link io.reactivenetio.transport.backend.NetworkBackend#creditsPosted}. */
    protected abstract int creditsPosted();

    /** See {@link io.reactivenetio.transport.backend.NetworkBackend#arrivedInPart}. */
    protected int arrivedInPart() {
        return 0;
    }

    /**
     * Gives back all that the backend has of this connection, but the buffers. Sends that have completed meanwhile are told as
     * completed. The teardown calls this once. If it throws, the provider may still read or write the buffers: they are never
     * freed then.
     *
     * @param established whether the connection ever was established
     */
    protected abstract void releaseAll(boolean established);

    // ---- for the backend

    public final Endpoint handle() {
        return handle;
    }

    final boolean isOf(BackendContext other) {
        return context == other;
    }

    /** The pool that its messages arrive in. A shared one is known only after {@link #receiveFrom}. */
    protected final ReceivePool receives() {
        ReceivePool pool = buffers.receives();
        if (pool == null) {
            throw new IllegalStateException(handle + " has no receive buffers yet");
        }
        return pool;
    }

    /** The connection receives into a pool that it shares, from now on. Loop thread. */
    protected final void receiveFrom(ReceivePool pool, ReceiveShare part) {
        buffers.receiveFrom(pool, part);
    }

    /** Its part of the pool that it shares. Null if the pool is its own. Loop thread. */
    public final @Nullable ReceiveShare share() {
        return buffers.share();
    }

    protected final SendPool sends() {
        return sends.pool();
    }

    protected final @Nullable GatherPool gathers() {
        return sends.gathers();
    }

    /** The number of send buffers that it may have at a time. */
    protected final int sendBuffers() {
        return sends.buffers();
    }

    /** Limits the sends in flight to {@code most}, which may be fewer than there are buffers. */
    protected final void limitSends(int most) {
        sends.limit(most);
    }

    public final boolean isOpening() {
        return state == State.OPENING;
    }

    public final boolean isEstablished() {
        return state == State.ESTABLISHED;
    }

    @Override
    public final boolean isClosed() {
        State now = state;
        return now == State.CLOSING || now == State.CLOSED;
    }

    final boolean isReceiving() {
        return buffers.isReceiving();
    }

    final Capabilities capabilities() {
        boolean buffered = sends.buffers() > 0;
        return new Capabilities(buffered, buffered && context.supportsCopies(), sends.gathers() != null, buffers.isReceiving());
    }

    /** The connection is up. Does nothing if it was up before, or is closed. */
    protected final void established() {
        if (state == State.OPENING) {
            state = State.ESTABLISHED;
            wasEstablished = true;
            cancelDeadline();
            sends.open();
            try {
                handle.callbacks().onConnectionEstablished(handle, capabilities());
            } catch (Throwable t) {
                failed(t);
            }
            offerAtEndOfTurn(); // sends may have been refused before
        }
    }

    /** A message of {@code length} bytes has arrived in {@code slot}. The callback gets it, and may keep the slot. */
    protected final void deliver(ReceiveSlot slot, int length) {
        ReceivedBuffer message = slot.received(length, freshHandles);
        try {
            if (!isClosed() && !buffers.isReceiving()) {
                close(new NetioException("a message arrived from " + Addresses.format(handle.remoteAddress())
                        + ", but this connection was opened without receive buffers"));
            }
            if (!isClosed()) {
                handle.callbacks().onData(handle, message);
            }
        } catch (Throwable t) {
            failed(t);
        }
        try {
            message.release();
        } catch (IllegalStateException e) { // the callback released too often: the other messages of the batch are not to blame
            failed(e);
        }
    }

    /** Closes the connection, because a message does not fit. {@code bytes} is its length as text, or empty if it is unknown. */
    protected final void closeForTooLarge(String bytes, String advice) {
        String message = "a message" + (bytes.isEmpty() ? "" : " of " + bytes + " bytes") + " from "
                + Addresses.format(handle.remoteAddress());
        close(buffers.isReceiving()
                ? new MessageTooLargeException(message + " is larger than the receive buffers of " + receives().slotSize()
                        + " bytes" + advice)
                : new NetioException(message + ", but this connection was opened without receive buffers"));
    }

    /** A buffered send that was posted is over: the backend does not read its buffer any more. */
    protected final void sendCompleted(int key) {
        if (sends.completed(key)) {
            notifySendCompleted(SendKind.BUFFERED, key);
            sends.notified(key);
        }
    }

    /** A zero-copy send that was posted is over: the backend does not read its header and spans any more. */
    protected final void sendCompleted(GatherSlot slot) {
        GatherPool own = sends.gathers();
        long key = slot.key();
        if (own != null && sends.completed(own, slot)) {
            notifySendCompleted(SendKind.ZERO_COPY, key);
        }
    }

    private void notifySendCompleted(SendKind kind, long key) {
        try {
            handle.callbacks().onSendCompleted(handle, kind, key);
        } catch (Throwable t) {
            failed(t);
        }
    }

    /** After each batch of completed sends: if sends were refused before, the callback says that they may go on. */
    protected final void offerResources() {
        sends.offer();
    }

    private void offerAtEndOfTurn() {
        if (!offering && !isClosed()) {
            offering = true;
            context.loop().atEndOfTurn(() -> {
                offering = false;
                offerResources();
            });
        }
    }

    @Override
    protected final void notifyResourcesAvailable() {
        if (state == State.ESTABLISHED) {
            try {
                handle.callbacks().onResourcesAvailable(handle);
            } catch (Throwable t) {
                failed(t);
            }
        }
    }

    /** A callback threw. That ends this connection and no other. */
    private void failed(Throwable t) {
        context.loop().report(t);
        close(new NetioException("a callback of " + handle + " failed: " + text(t), t));
    }

    /** What {@code thrown} says of itself, or its class if it cannot. */
    private static String text(Throwable thrown) {
        try {
            return thrown.toString();
        } catch (Throwable again) {
            return thrown.getClass().getName();
        }
    }

    final EndpointSends outgoing() {
        return sends;
    }

    // ---- the end

    /** What may be wrong if it takes too long to be established, after {@code "; "}; empty if nothing points to anything. */
    protected String lateHint() {
        return "";
    }

    /** Sets the task that closes the connection if it is not established in time. */
    final void deadline(@Nullable DelayedTask task) {
        deadline = task;
    }

    private void cancelDeadline() {
        DelayedTask task = deadline;
        if (task != null) {
            task.cancel();
            deadline = null;
        }
    }

    /** Closes the connection. {@code reason} is null if one of the sides wanted that. Only the first call counts. */
    public final void close(@Nullable NetioException reason) {
        if (!isClosed()) {
            state = State.CLOSING;
            cause = reason;
            sends.stop();
            context.loop().atEndOfTurn(this::teardown);
        }
    }

    /** Gives everything back and calls the last callback. */
    private void teardown() {
        state = State.CLOSED;
        cancelDeadline();
        boolean released = false;
        try {
            releaseAll(wasEstablished);
            released = true;
        } catch (RuntimeException e) {
            context.loop().report(e); // the provider may still write to the buffers, so they are not freed; the owner has to know
            if (cause == null) {
                cause = new NetioCloseException(handle + " could not be closed in order: " + e.getMessage(), e);
            }
        }
        List<SendKey> cancelled = sends.close(released);
        if (released) {
            buffers.free();
        }
        context.closed(handle, wasEstablished, cancelled, cause);
    }

    /** The loop has ended before the connection could begin. Frees the buffers, without a callback. Any thread. */
    final void abandon() {
        state = State.CLOSED;
        sends.close(true);
        buffers.free();
    }
}
