// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiDomain;
import io.reactivenetio.ffm.FiEndpoint;
import io.reactivenetio.ffm.FiError;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.FiMemoryRegion;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.MessageTooLargeException;
import io.reactivenetio.transport.NetioConnectException;
import io.reactivenetio.transport.NetioFabricException;
import io.reactivenetio.transport.SendStatus;
import io.reactivenetio.transport.base.EndpointBase;
import io.reactivenetio.transport.base.ReceiveSlot;
import io.reactivenetio.transport.base.SendSlot;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection over a libfabric endpoint. */
final class ActiveEndpoint extends EndpointBase implements CompletionQueue.Owner, ConnectionEvents.Owner {
    private final LibfabricBackend backend;
    private final ReceiveSlots receives;
    private final SendSlots sends;
    private final List<FiMemoryRegion> regions = new ArrayList<>(2);
    private @Nullable FabricResources resources;
    private @Nullable FiInfo info;
    private @Nullable FiEndpoint endpoint;
    private @Nullable CompletionQueue queue;
    private boolean peerGone;

    ActiveEndpoint(LibfabricBackend backend, InetSocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters p) {
        super(backend, remote, parent, p, 0);
        this.backend = backend;
        this.receives = new ReceiveSlots(receives());
        this.sends = new SendSlots(sends(), backend.traits().deliveryComplete());
    }

    /** Makes the libfabric endpoint, with its receives posted, and connects it. Takes {@code target} over, even if it throws. */
    void connect(FiInfo target) {
        info = target;
        open(target, backend.resources(target)).connect(target);
    }

    /** The same for a connection request, in the fabric of its listener: a request need not name one. */
    void accept(FiInfo request, FabricResources fabric) {
        info = request;
        open(request, fabric).accept();
    }

    /** Whether a libfabric endpoint was made of the connection request: it owns it then, and a reject would free it twice. */
    boolean tookRequest() {
        return endpoint != null;
    }

    private FiEndpoint open(FiInfo from, FabricResources fabric) {
        resources = fabric;
        FiDomain domain = fabric.domain(from);
        FiEndpoint created = domain.openEndpoint(from);
        endpoint = created;
        CompletionQueue completions = fabric.queues().open(domain, receives().slab().slots() + sends().slab().slots() + 1,
                this);
        queue = completions;
        created.bind(fabric.events().queue());
        created.bind(completions.queue(), Fi.FI_TRANSMIT | Fi.FI_RECV);
        created.enable();
        fabric.events().add(created.address(), this);
        receives.open(created, register(domain, from, receives().slab(), Fi.FI_RECV));
        sends.open(created, register(domain, from, sends().slab(), Fi.FI_SEND),
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

    // ---- buffers

    @Override
    protected SendStatus post(SendSlot slot, CompletionLevel level) {
        int result = sends.send(slot, level);
        activate();
        if (result == 0) {
            return SendStatus.OK;
        }
        if (result == -Fi.FI_EAGAIN) {
            return SendStatus.NO_RESOURCES;
        }
        close(new NetioFabricException("sending to " + handle() + " failed: " + backend.text(result), -result));
        return SendStatus.FAILED;
    }

    @Override
    protected void onReceiveBufferHome() {
        int result = receives.post();
        if (result != 0) {
            close(new NetioFabricException(handle() + ": " + backend.text(result), -result));
        }
        activate();
    }

    private void activate() {
        CompletionQueue completions = queue;
        if (completions != null) {
            completions.activate();
        }
    }

    @Override
    protected int creditsPosted() {
        return receives.posted();
    }

    // ---- completions

    @Override
    public void onCompletion(long context, long length) {
        if (OpContext.isSend(context)) {
            int key = sends.completed(context);
            if (key >= 0) {
                sendCompleted(key);
            }
            return;
        }
        ReceiveSlot slot = receives.completed(context);
        if (slot != null) {
            deliver(slot, (int) length);
        }
    }

    @Override
    public void onError(FiError error) {
        long context = error.context();
        int code = error.err();
        if (!OpContext.isSend(context)) {
            ReceiveSlot slot = receives.completed(context);
            if (slot != null) {
                receives().putBack(slot);
            }
        }
        // A send that failed stays in flight here, and is reported with the closed callback's keys: exactly once either way.
        if (code == Fi.FI_ECANCELED) {
            return;
        }
        if (!OpContext.isSend(context) && backend.traits().isTooLarge(error)) {
            close(new MessageTooLargeException("a message from " + Addresses.format(handle().remoteAddress())
                    + " is larger than the receive buffers of " + receives().slab().slotSize()
                    + " bytes: use larger receive buffers, or smaller messages on the other side"));
        } else {
            close(new NetioFabricException(handle() + ": " + error.text(), code));
        }
    }

    @Override
    public void onBroken(int code) {
        close(new NetioFabricException(handle() + ": the completion queue failed: " + backend.text(code), code));
    }

    @Override
    public void onBatchEnd() {
        offerResources();
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
        if (isOpening()) {
            activate();
            established();
        }
    }

    @Override
    public void onShutdown() {
        peerGone = true;
        CompletionQueue completions = queue;
        if (isEstablished() && completions != null) {
            completions.drain(); // what arrived before the end comes before the end
        }
        close(null);
    }

    @Override
    public void onFailure(int code, String text) {
        peerGone = true;
        String address = Addresses.format(handle().remoteAddress());
        if (isOpening()) {
            close(new NetioConnectException(code == Fi.FI_ECONNREFUSED
                    ? "nobody listens on " + address + ": " + text
                    : "connecting to " + address + " failed: " + text, null));
        } else {
            close(new NetioFabricException(handle() + ": " + text, code));
        }
    }

    // ---- the end

    @Override
    protected long lingerMillis() {
        return peerGone ? 0 : backend.traits().lingerMillis();
    }

    /** A peer that cannot be told must not keep the rest from being closed. */
    private void shutDown(FiEndpoint open) {
        try {
            open.shutdown();
        } catch (RuntimeException e) {
            backend.report(e);
        }
    }

    @Override
    protected int releaseAll(boolean established) {
        receives.stop();
        sends.stop();
        FiEndpoint open = endpoint;
        CompletionQueue completions = queue;
        FabricResources fabric = resources;
        if (open != null && fabric != null) {
            if (established && !peerGone) {
                shutDown(open);
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
        return receives.close();
    }
}
