// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiDomain;
import io.reactivenetio.ffm.FiEndpoint;
import io.reactivenetio.ffm.FiError;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.FiMemoryRegion;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.MessageTooLargeException;
import io.reactivenetio.transport.NetioConnectException;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.NetioFabricException;
import io.reactivenetio.transport.SendStatus;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection, from the first attempt to the last callback. Confined to its loop.
 *
 * <p>It is closed in two steps: {@link #close} marks it, so that nothing more is sent or delivered, and the teardown runs at the
 * end of the loop's turn, when no libfabric call or callback of this endpoint is on the stack any more.
 */
final class ActiveEndpoint implements CompletionQueue.Owner, ConnectionEvents.Owner {
    enum State { OPENING, ESTABLISHED, CLOSING, CLOSED }

    private final LibfabricBackend backend;
    private final Endpoint handle;
    private final ReceiveSlots receives;
    private final SendSlots sends;
    private final List<FiMemoryRegion> regions = new ArrayList<>(2);
    private State state = State.OPENING;
    private @Nullable FabricResources resources;
    private @Nullable FiInfo info;
    private @Nullable FiEndpoint endpoint;
    private @Nullable CompletionQueue queue;
    private @Nullable NetioException cause;
    private @Nullable DelayedTask deadline;
    private boolean peerGone;

    ActiveEndpoint(LibfabricBackend backend, InetSocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters p) {
        this.backend = backend;
        this.handle = new Endpoint(remote, parent, this);
        try {
            this.receives = new ReceiveSlots(backend.loop(), p.receiveBufferSize(), p.receiveBuffers());
            this.sends = new SendSlots(backend.loop(), p.sendBufferSize(), p.sendBuffers(),
                    backend.traits().deliveryComplete());
        } catch (OutOfMemoryError e) {
            throw new NetioException("no memory for the buffers of a connection, " + p.receiveBuffers() + " x "
                    + p.receiveBufferSize() + " + " + p.sendBuffers() + " x " + p.sendBufferSize() + " bytes: use fewer or"
                    + " smaller ones", e);
        }
    }

    Endpoint handle() {
        return handle;
    }

    boolean isOpening() {
        return state == State.OPENING;
    }

    boolean isClosed() {
        return state == State.CLOSING || state == State.CLOSED;
    }

    /** What will end the attempt to connect if nothing else does. */
    void deadline(DelayedTask task) {
        deadline = task;
    }

    private void cancelDeadline() {
        DelayedTask task = deadline;
        if (task != null) {
            task.cancel();
            deadline = null;
        }
    }

    /** Makes the libfabric endpoint, with its receives posted, and connects it. Takes {@code target} over, even if it throws. */
    void connect(FiInfo target) {
        open(target, backend.resources(target)).connect(target);
    }

    /** The same for a connection request, in the fabric of its listener: a request need not name one. */
    void accept(FiInfo request, FabricResources fabric) {
        open(request, fabric).accept();
    }

    private FiEndpoint open(FiInfo from, FabricResources fabric) {
        info = from;
        resources = fabric;
        FiDomain domain = fabric.domain(from);
        FiEndpoint created = domain.openEndpoint(from);
        endpoint = created;
        CompletionQueue completions = fabric.queues().open(domain, receives.slab().slots() + sends.slab().slots() + 1, this);
        queue = completions;
        created.bind(fabric.events().queue());
        created.bind(completions.queue(), Fi.FI_TRANSMIT | Fi.FI_RECV);
        created.enable();
        fabric.events().add(created.address(), this);
        receives.open(created, register(domain, from, receives.slab(), Fi.FI_RECV), completions::activate);
        sends.open(created, register(domain, from, sends.slab(), Fi.FI_SEND),
                (int) Math.min(from.txSize(), Integer.MAX_VALUE));
        return created;
    }

    private long register(FiDomain domain, FiInfo from, Slab slab, long access) {
        if ((from.mrMode() & Fi.FI_MR_LOCAL) == 0) {
            return 0;
        }
        FiMemoryRegion region = domain.register(slab.memory(), access, backend.nextKey());
        regions.add(region);
        return region.descriptor();
    }

    // ---- sending

    @Nullable SendSlot getBuffer() {
        return isClosed() ? null : sends.lend();
    }

    SendStatus send(SendSlot slot, CompletionLevel level) {
        if (!slot.belongsTo(sends)) {
            return SendStatus.FAILED;
        }
        if (isClosed()) {
            slot.release();
            return SendStatus.FAILED;
        }
        SendStatus status = sends.send(slot, level);
        CompletionQueue completions = queue;
        if (completions != null && state == State.ESTABLISHED) {
            completions.activate();
        }
        if (status == SendStatus.FAILED && sends.lastError() != 0) {
            fail(new NetioFabricException("sending to " + handle + " failed: "
                    + backend.text(sends.lastError()), -sends.lastError()));
        }
        return status;
    }

    int freeSendBuffers() {
        return isClosed() ? 0 : sends.free();
    }

    int creditsPosted() {
        return receives.posted();
    }

    // ---- completions

    @Override
    public void onCompletion(long context, long length) {
        if (OpContext.isSend(context)) {
            int key = sends.completed(context);
            if (key >= 0) {
                try {
                    backend.callbacks().onSendCompleted(handle, key);
                } catch (Throwable t) {
                    callbackFailed(t);
                }
            }
            return;
        }
        ReceiveSlot slot = receives.completed(context);
        if (slot == null) {
            return;
        }
        slot.received((int) length);
        try {
            if (!isClosed()) {
                backend.callbacks().onData(handle, slot);
            }
        } catch (Throwable t) {
            callbackFailed(t);
        } finally {
            slot.release();
        }
    }

    @Override
    public void onError(FiError error) {
        long context = error.context();
        int code = error.err();
        if (!OpContext.isSend(context)) {
            ReceiveSlot slot = receives.completed(context);
            if (slot != null) {
                receives.flushed(slot);
            }
        }
        // A send that failed stays in flight here, and is reported with the closed callback's keys: exactly once either way.
        if (code == Fi.FI_ECANCELED) {
            return;
        }
        if (code == Fi.FI_ETRUNC) {
            fail(new MessageTooLargeException("a message from " + Addresses.format(handle.remoteAddress())
                    + " is larger than the receive buffers of " + receives.slab().slotSize()
                    + " bytes: use larger receive buffers, or smaller messages on the other side"));
        } else {
            fail(new NetioFabricException(handle + ": " + error.text(), code));
        }
    }

    @Override
    public void onBatchEnd() {
        if (state == State.ESTABLISHED && sends.takeParked()) {
            try {
                backend.callbacks().onResourcesAvailable(handle);
            } catch (Throwable t) {
                callbackFailed(t);
            }
        }
    }

    @Override
    public boolean starved() {
        return receives.posted() == 0;
    }

    // ---- connection events

    @Override
    public void onRequest(FiInfo request) {
        request.close(); // only listen endpoints are asked
    }

    @Override
    public void onConnected() {
        if (state == State.OPENING) {
            state = State.ESTABLISHED;
            cancelDeadline();
            CompletionQueue completions = queue;
            if (completions != null) {
                completions.activate();
            }
            try {
                backend.callbacks().onConnectionEstablished(handle);
            } catch (Throwable t) {
                callbackFailed(t);
            }
        }
    }

    @Override
    public void onShutdown() {
        peerGone = true;
        CompletionQueue completions = queue;
        if (state == State.ESTABLISHED && completions != null) {
            completions.drain(); // what arrived before the end comes before the end
        }
        close(null);
    }

    @Override
    public void onFailure(int code, String text) {
        peerGone = true;
        String address = Addresses.format(handle.remoteAddress());
        if (state == State.OPENING) {
            close(new NetioConnectException(code == Fi.FI_ECONNREFUSED
                    ? "nobody listens on " + address + ": " + text
                    : "connecting to " + address + " failed: " + text, null));
        } else {
            fail(new NetioFabricException(handle + ": " + text, code));
        }
    }

    // ---- the end

    /** A callback threw: the loop is told, and this connection is over; no other notices. */
    private void callbackFailed(Throwable thrown) {
        backend.report(thrown);
        close(new NetioException("a callback of " + handle + " failed: " + thrown, thrown));
    }

    private void fail(NetioException reason) {
        close(reason);
    }

    /** Ends the connection, for {@code reason} or, with null, by either side's wish. The first call counts. */
    void close(@Nullable NetioException reason) {
        if (!isClosed()) {
            boolean opening = state == State.OPENING;
            state = State.CLOSING;
            cause = reason;
            backend.closing(this, opening, reason == null && !opening && !peerGone);
        }
    }

    /** The second step, at the end of the turn: gives everything back and tells the owner. */
    void teardown(boolean opening) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        cancelDeadline();
        receives.stop();
        sends.stop();
        try {
            closeFabricObjects(opening);
        } catch (RuntimeException e) {
            backend.report(e); // the owner must hear of the end all the same
        }
        receives.close();
        backend.closed(this, opening, sends.close(), cause);
    }

    private void closeFabricObjects(boolean opening) {
        FiEndpoint open = endpoint;
        CompletionQueue completions = queue;
        FabricResources fabric = resources;
        if (open != null && fabric != null) {
            if (!opening && !peerGone) {
                open.shutdown();
            }
            fabric.events().remove(open.address());
            open.close();
        }
        if (completions != null) {
            completions.drain(); // sends that completed meanwhile are told as completed, not as cancelled
            completions.close();
        }
        regions.forEach(FiMemoryRegion::close);
        FiInfo from = info;
        if (from != null) {
            from.close();
        }
    }
}
