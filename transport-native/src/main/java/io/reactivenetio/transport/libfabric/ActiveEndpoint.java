// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FabricException;
import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiEndpoint;
import io.reactivenetio.ffm.fabric.FiError;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.base.BackendContext;
import io.reactivenetio.transport.base.EndpointBase;
import io.reactivenetio.transport.base.ListenerBase;
import io.reactivenetio.transport.base.receive.ReceiveShare;
import io.reactivenetio.transport.base.receive.ReceiveSlot;
import io.reactivenetio.transport.base.send.GatherSlot;
import io.reactivenetio.transport.base.send.SendSlot;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioFabricException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** One connection over a libfabric endpoint. Confined to its loop, but for the sends of a SAFE backend, see the base. */
final class ActiveEndpoint extends EndpointBase implements CompletionQueue.Owner, ConnectionEvents.Owner, KeepAlive.Owner {
    /** Errors of the network and not of the peer: errno(3). */
    private static final int ENETDOWN = 100;
    private static final int ENETUNREACH = 101;
    private static final int ETIMEDOUT = 110;
    private static final int EHOSTUNREACH = 113;

    private final BackendContext backend;
    private final LoopFabrics fabrics;
    private final ConnectionParameters parameters;
    private final TransmitQueue transmitQueue;
    private final KeepAlive keepAlive;
    private @Nullable EndpointResources resources;
    private @Nullable PostedReceives receives;
    private @Nullable SharedReceives shared;
    private @Nullable ListenerBase<?> acceptedBy;
    private boolean peerGone;

    ActiveEndpoint(BackendContext backend, LoopFabrics fabrics, SocketAddress remote, @Nullable ListenEndpoint parent,
            ConnectionParameters p) {
        super(backend, remote, parent, p);
        this.backend = backend;
        this.fabrics = fabrics;
        this.parameters = p;
        this.transmitQueue = new TransmitQueue(sends(), gathers(), fabrics.traits().deliveryComplete());
        this.keepAlive = new KeepAlive(this, backend.config().keepAlive(), backend::after);
    }

    /** Makes the libfabric endpoint, with its receives posted, and connects it. Takes {@code target} over, even if it throws. */
    void connect(FiInfo target) {
        open(target, target.fabricName()).connect(target, parameters.data().bytes());
    }

    /** Makes the libfabric endpoint of a request and accepts it, in the listener's fabric: a request need not name one. */
    void accept(FiInfo request, String fabricName, ListenerBase<?> from) {
        acceptedBy = from;
        FiEndpoint created = open(request, fabricName);
        handle().peerSaid(ConnectionData.received(request.connectionData()));
        created.accept(parameters.data().bytes());
    }

    /** Whether a libfabric endpoint was made of the connection request: it owns it then, and a reject would free it twice. */
    boolean tookRequest() {
        return endpoint() != null;
    }

    private @Nullable FiEndpoint endpoint() {
        EndpointResources own = resources;
        return own == null ? null : own.endpoint();
    }

    /** Null where the provider does not say it: the connection is as good without. */
    private @Nullable InetSocketAddress localAddress() {
        FiEndpoint own = endpoint();
        try {
            return own == null ? null : own.name();
        } catch (FabricException e) {
            return null;
        }
    }

    private FiEndpoint open(FiInfo info, String fabricName) {
        EndpointResources own = new EndpointResources(backend, fabrics, this, info);
        resources = own;
        SharedReceives common = own.join(fabricName, parameters);
        shared = common;
        if (common != null) {
            receiveFrom(common.pool(), new ReceiveShare(() -> { })); // it never waits: the provider assigns the buffers
        }
        FiEndpoint created = own.open(completionsAtMost(), this, this);
        transmitQueue.open(created, info, own.owner(), own::register);
        limitSends((int) Math.min(info.txSize(), Integer.MAX_VALUE));
        if (common == null) {
            PostedReceives posting = new PostedReceives(receives());
            receives = posting;
            posting.open(created, own.register(receives().blocks().getFirst().memory()), own.owner());
        } else {
            receives = common.slots();
        }
        return created;
    }

    /** Every buffer that can be posted completes once, and one more for good measure. */
    private int completionsAtMost() {
        int receiving = shared == null ? receives().slots() : 2 * receives().slots(); // they may be replaced, once
        return receiving + transmitQueue.size() + 1;
    }

    // ---- buffers

    @Override
    protected SendStatus post(SendSlot slot, SendCompletion level) {
        return status(transmitQueue.post(slot, level));
    }

    @Override
    protected SendStatus post(GatherSlot slot, SendCompletion level) {
        return status(transmitQueue.post(slot, level));
    }

    private SendStatus status(int result) {
        activate();
        if (result == 0) {
            return SendStatus.OK;
        }
        if (result == -Fi.FI_EAGAIN) {
            return SendStatus.NO_RESOURCES;
        }
        close(new NetioFabricException("sending to " + handle() + " failed: " + fabrics.text(result), -result));
        return SendStatus.FAILED;
    }

    @Override
    protected void onReceiveBufferFree() {
        PostedReceives own = receives;
        int result = own == null ? 0 : own.post();
        if (result != 0) {
            close(new NetioFabricException(handle() + ": " + fabrics.text(result), -result));
        }
        activate();
    }

    private void activate() {
        EndpointResources own = resources;
        if (own != null) {
            own.activateQueue();
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
        if (OpContext.isGather(context)) {
            GatherSlot slot = transmitQueue.gatherCompleted(context);
            if (slot != null) {
                sendCompleted(slot);
            }
            return;
        }
        int key = transmitQueue.sendCompleted(context);
        if (key >= 0) {
            sendCompleted(key);
        }
    }

    @Override
    public void onError(FiError error) {
        long context = error.context();
        int code = error.err();
        PostedReceives posted = receives;
        if (OpContext.isSend(context)) {
            transmitQueue.failed();
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
        if (code == Fi.FI_ECANCELED) {
            return;
        }
        if (code == Fi.FI_ENOTCONN && isEstablished()) { // the peer has closed; its event tells so as well, before or after
            if (!peerGone) {
                peerGone = true;
                backend.loop().atEndOfTurn(this::onShutdown);
            }
            return;
        }
        if (!OpContext.isSend(context) && fabrics.traits().isTooLarge(error)) {
            closeForTooLarge("", ": use larger receive buffers, or smaller messages on the other side");
        } else {
            close(new NetioFabricException(handle() + ": " + fabrics.traits().text(error), code));
        }
    }

    @Override
    public void onQueueFailed(int code) {
        close(new NetioFabricException(handle() + ": its queue failed: " + fabrics.text(code), code));
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
        return !transmitQueue.isEmpty();
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
            handle().boundTo(localAddress());
            established();
            keepAlive.start(fabrics.traits().verbs());
        }
    }

    @Override
    public boolean probe() {
        FiEndpoint open = endpoint();
        return open != null && transmitQueue.isEmpty() && status(transmitQueue.probe(open)) == SendStatus.OK;
    }

    @Override
    public void drainCompletions() {
        EndpointResources own = resources;
        if (own != null) {
            own.drainQueue();
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
                    : "connecting to " + address + " failed: " + text + otherProtocolHint(code), null));
        } else {
            close(new NetioFabricException(handle() + ": " + text, code));
        }
    }

    /** Over tcp a peer that does not speak as libfabric does, or closes at once, is an error of any code but the network's. */
    private String otherProtocolHint(int code) {
        boolean network = code == ENETDOWN || code == ENETUNREACH || code == ETIMEDOUT || code == EHOSTUNREACH;
        return network || fabrics.traits().verbs() ? "" : "; does what listens there use plain TCP"
                + " (backend(BackendType.TCP)), or is it another program?";
    }

    // ---- the end

    @Override
    protected void releaseAll(boolean established) {
        keepAlive.stop();
        transmitQueue.stop();
        PostedReceives own = shared == null ? receives : null;
        if (own != null) {
            own.stop();
        }
        ListenerBase<?> from = acceptedBy;
        if (from != null) {
            from.released(handle().remoteAddress());
        }
        EndpointResources opened = resources;
        if (opened != null) {
            opened.close(established && !peerGone);
        }
    }
}
