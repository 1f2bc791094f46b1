// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiEndpoint;
import io.reactivenetio.ffm.FiError;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ConnectionData;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.GatherList;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.SendStatus;
import io.reactivenetio.transport.base.EndpointBase;
import io.reactivenetio.transport.base.GatherPool;
import io.reactivenetio.transport.base.GatherSlot;
import io.reactivenetio.transport.base.ReceiveShare;
import io.reactivenetio.transport.base.ReceiveSlot;
import io.reactivenetio.transport.base.SendSlot;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioFabricException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection over a libfabric endpoint. */
final class ActiveEndpoint extends EndpointBase implements CompletionQueue.Owner, ConnectionEvents.Owner, KeepAlive.Owner {
    private final LibfabricBackend backend;
    private final ConnectionParameters parameters;
    private final PostedSends sends;
    private final PostedGathers gathers;
    private final List<MemorySegment> registered = new ArrayList<>(4);
    private @Nullable PostedReceives receives;
    private @Nullable SharedReceives shared;
    private @Nullable FabricResources resources;
    private @Nullable LoopDomain domain;
    private @Nullable FiInfo info;
    private @Nullable FiEndpoint endpoint;
    private @Nullable CompletionQueue queue;
    private @Nullable PassiveEndpoint acceptedBy;
    private final KeepAlive keepAlive;
    private long receiveDescriptor;
    /** Sends whose completions have not been read. */
    private int underWay;
    private boolean peerGone;

    ActiveEndpoint(LibfabricBackend backend, InetSocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters p) {
        super(backend, remote, parent, p);
        this.backend = backend;
        this.parameters = p;
        this.sends = new PostedSends(sends(), backend.traits().deliveryComplete());
        this.keepAlive = new KeepAlive(this, backend.config().keepAlive(), backend::after);
        this.gathers = new PostedGathers(gathers(), backend.traits().deliveryComplete());
    }

    /** Makes the libfabric endpoint, with its receives posted, and connects it. Takes {@code target} over, even if it throws. */
    void connect(FiInfo target) {
        info = target;
        FiEndpoint created = open(target, backend.resources(target.fabricName(), target));
        openReceives(created);
        created.connect(target, parameters.data().bytes());
    }

    /** Makes the libfabric endpoint of a request and accepts it, in the listener's fabric: a request need not name one. */
    void accept(FiInfo request, PassiveEndpoint from) {
        info = request;
        acceptedBy = from;
        FiEndpoint created = open(request, backend.resources(from.fabricName(), request));
        openReceives(created);
        handle().peerSaid(ConnectionData.received(request.connectionData()));
        created.accept(parameters.data().bytes());
    }

    /** Whether a libfabric endpoint was made of the connection request: it owns it then, and a reject would free it twice. */
    boolean tookRequest() {
        return endpoint != null;
    }

    private FiEndpoint open(FiInfo from, FabricResources fabric) {
        LibfabricBackend.requireFits(from, parameters, backend.config());
        resources = fabric;
        LoopDomain on = fabric.domain(from);
        domain = on;
        SharedReceives common = backend.bufferPolicy().sharesReceives(parameters) ? on.join(this, from, parameters) : null;
        shared = common;
        if (common != null) {
            from.sharedReceiveContext();
            receiveFrom(common.pool(), new ReceiveShare(this, () -> { })); // it never waits: the provider assigns the buffers
        }
        FiEndpoint created = on.domain().openEndpoint(from);
        endpoint = created;
        CompletionQueue completions = fabric.queues().open(on.domain(), completionsAtMost(), this);
        queue = completions;
        created.bind(fabric.events().queue());
        created.bind(completions.queue(), Fi.FI_TRANSMIT | Fi.FI_RECV);
        if (common != null) {
            created.bind(common.context());
        }
        created.enable();
        fabric.events().add(created.address(), this);
        openSlots(created, on, from, common);
        return created;
    }

    private int sendsAtMost() {
        GatherPool zeroCopy = gathers();
        return sends().slab().slots() + (zeroCopy == null ? 0 : zeroCopy.slots());
    }

    /** Every buffer that can be posted completes once, and one more for good measure. */
    private int completionsAtMost() {
        int receiving = shared == null ? receives().slots() : 2 * receives().slots(); // they may be replaced, once
        return receiving + sendsAtMost() + 1;
    }

    private void openSlots(FiEndpoint created, LoopDomain on, FiInfo from, @Nullable SharedReceives common) {
        if (common == null) {
            receives = new PostedReceives(receives());
            receiveDescriptor = register(on, receives().blocks().getFirst().memory());
        } else {
            receives = common.slots();
        }
        sends.open(created, register(on, sends().slab().memory()));
        GatherPool zeroCopy = gathers();
        if (zeroCopy != null) {
            zeroCopy.limitEntries(Math.clamp(from.txIovLimit(), 1, GatherList.MAX_SPANS));
            gathers.open(created, register(on, zeroCopy.headers().memory()), register(on, zeroCopy.region().segment()));
        }
        limitSends((int) Math.min(from.txSize(), Integer.MAX_VALUE));
    }

    private void openReceives(FiEndpoint created) {
        PostedReceives own = shared == null ? receives : null;
        if (own != null) {
            own.open(created, receiveDescriptor);
        }
    }

    private long register(LoopDomain on, MemorySegment memory) {
        long descriptor = on.registrations().acquire(memory);
        registered.add(memory);
        return descriptor;
    }

    // ---- buffers

    @Override
    protected SendStatus post(SendSlot slot, CompletionLevel level) {
        return status(sends.send(slot, level));
    }

    @Override
    protected SendStatus post(GatherSlot slot, CompletionLevel level) {
        return status(gathers.send(slot, level));
    }

    private SendStatus status(int result) {
        activate();
        if (result == 0) {
            underWay++;
            return SendStatus.OK;
        }
        if (result == -Fi.FI_EAGAIN) {
            return SendStatus.NO_RESOURCES;
        }
        close(new NetioFabricException("sending to " + handle() + " failed: " + backend.text(result), -result));
        return SendStatus.FAILED;
    }

    @Override
    protected void onReceiveBufferFree() {
        PostedReceives own = receives;
        int result = own == null ? 0 : own.post();
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
        PostedReceives posting = receives;
        return posting == null ? 0 : posting.posted();
    }

    // ---- completions

    @Override
    public void onCompletion(long context, long length) {
        if (OpContext.isSend(context)) {
            onSent(context);
            return;
        }
        PostedReceives posted = receives;
        ReceiveSlot slot = posted == null ? null : posted.completed(context);
        if (slot != null) {
            ReceiveShare part = share();
            if (part != null) {
                receives().assign(slot, part);
            }
            deliver(slot, (int) length);
        }
    }

    private void onSent(long context) {
        underWay--;
        boolean gather = OpContext.isGather(context);
        GatherSlot slot = gather ? gathers.completed(context) : null;
        int key = gather ? -1 : sends.completed(context);
        if (slot != null) {
            sendCompleted(slot);
        } else if (key >= 0) {
            sendCompleted(key);
        }
    }

    @Override
    public void onError(FiError error) {
        long context = error.context();
        int code = error.err();
        PostedReceives posted = receives;
        if (OpContext.isSend(context)) {
            underWay--;
        } else if (posted != null) {
            ReceiveSlot slot = posted.completed(context);
            if (slot != null) {
                receives().putBack(slot);
            }
            SharedReceives common = shared;
            if (common != null) {
                common.onFree(); // the others go on with it
            }
        }
        // A send that failed stays in flight here, and is reported with the closed callback's keys: exactly once either way.
        if (code == Fi.FI_ECANCELED) {
            return;
        }
        if (!OpContext.isSend(context) && backend.traits().isTooLarge(error)) {
            closeForTooLarge("", "use larger receive buffers, or smaller messages on the other side");
        } else {
            close(new NetioFabricException(handle() + ": " + backend.traits().text(error), code));
        }
    }

    @Override
    public void onQueueFailed(int code) {
        close(new NetioFabricException(handle() + ": its queue failed: " + backend.text(code), code));
    }

    @Override
    public void onBatchEnd() {
        keepAlive.peerWasActive();
        SharedReceives common = shared;
        if (common != null) {
            common.checkPosted();
        }
        offerResources();
    }

    @Override
    public boolean starved() {
        return creditsPosted() == 0;
    }

    @Override
    public boolean sending() {
        return underWay > 0;
    }

    @Override
    public boolean sharesReceives() {
        return shared != null;
    }

    // ---- connection events

    @Override
    public void onRequest(FiInfo request) {
        request.close(); // only listen endpoints get requests
    }

    @Override
    public void onConnected(byte[] data) {
        boolean ours = acceptedBy != null; // the peer's data came with its request then, and tcp from 2.2 on repeats ours here
        handle().peerSaid(ours ? ConnectionData.none() : ConnectionData.received(data));
        if (isOpening()) {
            activate();
            established();
            keepAlive.start(backend.traits().verbs());
        }
    }

    @Override
    public boolean probe() {
        FiEndpoint open = endpoint;
        return open != null && underWay == 0 && status(sends.probe(open)) == SendStatus.OK;
    }

    @Override
    public void drainCompletions() {
        CompletionQueue completions = queue;
        if (completions != null) {
            completions.drain();
        }
    }

    @Override
    public void onShutdown() {
        peerGone = true;
        if (isEstablished()) {
            drainCompletions(); // what arrived before the end comes before the end
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

    /** If the peer cannot be told, the rest has to be closed all the same. */
    private void shutDown(FiEndpoint open) {
        try {
            open.shutdown();
        } catch (RuntimeException e) {
            backend.report(e);
        }
    }

    @Override
    protected void releaseAll(boolean established) {
        keepAlive.stop();
        sends.stop();
        gathers.stop();
        PostedReceives own = shared == null ? receives : null;
        if (own != null) {
            own.stop();
        }
        PassiveEndpoint from = acceptedBy;
        if (from != null) {
            from.released();
        }
        FiEndpoint open = endpoint;
        FabricResources fabric = resources;
        if (open != null && fabric != null) {
            fabric.events().remove(open.address());
            if (established && !peerGone) {
                shutDown(open);
            }
        }
        dispose(open);
    }

    private void dispose(@Nullable FiEndpoint open) {
        CompletionQueue completions = queue;
        if (shared != null && completions != null) {
            completions.drain(); // verbs gives a shared receive back here or never
        }
        if (open != null) {
            open.close();
        }
        if (completions != null) {
            completions.drain(); // sends that completed meanwhile are told as completed, not as cancelled
            completions.close();
        }
        leaveDomain();
        FiInfo described = info;
        if (described != null) {
            described.close();
        }
    }

    private void leaveDomain() {
        LoopDomain on = domain;
        if (on == null) {
            return;
        }
        registered.forEach(on.registrations()::release);
        SharedReceives common = shared;
        if (common != null) {
            on.leave(this, common);
        }
    }
}
