// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.api.Network;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.TaggedDecoder;
import io.reactivenetio.api.Tags;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.diagnostics.CallSite;
import io.reactivenetio.lease.CheckedBuffer;
import io.reactivenetio.lease.LeaseWindow;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.receive.DemandListener;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.receive.LeaseMapper;
import io.reactivenetio.scheduler.LoopConfinedOperator;
import io.reactivenetio.send.MessageEncoder;
import io.reactivenetio.send.Outbound;
import io.reactivenetio.send.SharedSendBudget;
import io.reactivenetio.send.SliceSlots;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioFabricException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioSocketException;
import io.reactivenetio.wire.Handshake;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.security.Principal;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One established connection, its two directions and its end. Methods are for the loop unless they are said to be for any thread.
 */
public final class Connection implements BackendCallbacks {
    private final LoopResources resources;
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final ConnectionConfig config;
    private final ConnectionCounters counters = new ConnectionCounters();
    private final LeaseWindow leases;
    private final SharedSendBudget budget;
    private final @Nullable SSLSession tls;
    private final @Nullable Principal peer;
    private final Session session;
    private final Sinks.Empty<Void> closed = Sinks.empty();
    private volatile boolean disposed;
    private volatile String closedBecause = "";
    private volatile boolean over;
    private volatile @Nullable NetioException end;

    /** Throws NetioException if the peer does not go together with the configured framing. */
    Connection(LoopResources resources, NetworkBackend backend, Endpoint endpoint, ConnectionConfig config,
            SharedSendBudget budget, @Nullable SSLSession tls, @Nullable Principal peer) {
        this.resources = resources;
        this.backend = backend;
        this.endpoint = endpoint;
        this.config = config;
        this.budget = budget;
        this.tls = tls;
        this.peer = peer;
        leases = new LeaseWindow(resources.loop(), counters, config.atLeaseCap(), config.receiveBuffers(), endpoint,
                config.byteOrder(), this::resume);
        session = config.framing().open(this);
    }

    private void resume() {
        session.resume();
        unread().forEach(Inbound::drain);
    }

    /** The streams of this connection that are over, and that the session has forgotten, while messages of theirs wait. */
    private List<Inbound> unread() {
        return resources.unread().isEmpty() ? List.of()
                : resources.unread().stream().filter(inbound -> inbound.isOf(counters)).toList();
    }

    /** Has messages leased as copies, see {@link LeaseWindow#copyWhile}. For the session's constructor. */
    public void leaseCopiesWhile(BooleanSupplier noReceiveBufferIsLeft) {
        leases.copyWhile(noReceiveBufferIsLeft);
    }

    // ---- any thread

    public @Nullable SocketAddress localAddress() {
        return endpoint.localAddress();
    }

    public SocketAddress remoteAddress() {
        return endpoint.remoteAddress();
    }

    public LoopResources resources() {
        return resources;
    }

    public EventLoop loop() {
        return resources.loop();
    }

    public NetworkBackend backend() {
        return backend;
    }

    /** What the TLS handshake came to; null without TLS. */
    public @Nullable SSLSession tlsSession() {
        return tls;
    }

    /** Who the peer is; null if nobody knows. */
    public @Nullable Principal peer() {
        return peer;
    }

    /** Whether the peer has this right to all of these tags. If the user's code throws, it has not. On the loop. */
    public boolean mayPeer(Right right, Tags tags) {
        NetioAuthorizer authorizer = config.access().authorizer();
        try {
            return authorizer == null || authorizer.may(peer, right, tags);
        } catch (Throwable t) { // the user's
            loop().report(t);
            return false;
        }
    }

    /** What carries it. */
    public Network network() {
        return config.network();
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public ConnectionConfig config() {
        return config;
    }

    public ConnectionCounters counters() {
        return counters;
    }

    /**
     * A new stream of messages that arrive on this connection. {@code upstream} is told what its subscriber does. {@code credits}
     * says how many messages may have to wait for the subscriber, as a rule.
     */
    public Inbound inbound(DemandListener upstream, int credits) {
        return new Inbound(resources.loop(), counters, resources.unread(), upstream, credits);
    }

    /** Makes the sending side of a framing that sends buffer by buffer. Called once. */
    public Outbound outbound() {
        return new Outbound(resources.loop(), backend, endpoint, counters, config.sendBuffers(), config.sendBufferSize(),
                new SliceSlots(config.outboundParameters()), budget, config.sharesSendBuffers());
    }

    public Session session() {
        return session;
    }

    /**
     * Called by a framing without a handshake, where the peer may have one.
     *
     * @throws NetioProtocolException if the peer has said that it uses STREAM framing
     */
    public void refuseHandshake(String name) {
        ByteBuffer said = ByteBuffer.wrap(endpoint.peerData().bytes());
        if (Handshake.isOne(said)) {
            throw new NetioProtocolException("no " + name + " connection with " + endpoint + ": the peer uses STREAM framing;"
                    + " configure framing(Framing.stream()) here, or framing(Framing."
                    + name.toLowerCase(Locale.ROOT) + "()) there", null);
        }
    }

    /** Receives copies of the messages, which their subscriber owns. */
    public Flux<ByteBuffer> receive(Inbound from) {
        return from.flux(new CopyMapper(config.byteOrder()));
    }

    /**
     * Receives what {@code decoder} makes of each message. It is called on the loop while the message is in its receive buffer.
     */
    public <T> Flux<T> receive(Inbound from, Function<? super ByteBuffer, ? extends T> decoder) {
        return from.flux(new DecoderMapper<T>(CheckedBuffer.guard(decoder), config.byteOrder(),
                new DecoderWatch(decoder, remoteAddress())));
    }

    /**
     * Receives what {@code decoder} makes of each message, its tag and its status. It is called on the loop while the message is
     * in its receive buffer.
     */
    public <T> Flux<T> receiveTagged(Inbound from, TaggedDecoder<? extends T> decoder) {
        return from.flux(new TagDecoderMapper<T>(CheckedBuffer.guard(decoder), config.byteOrder(),
                new DecoderWatch(decoder, remoteAddress())));
    }

    /** Batches of {@code most} messages at most. */
    public Flux<MessageBatch> receiveBatches(Inbound from, int most) {
        if (most < 1) {
            throw new IllegalArgumentException("a batch has at least one message, and not " + most);
        }
        return from.batches(config.byteOrder(), most, leases, "receiveBatches() at " + CallSite.find());
    }

    /** A lease on each message. */
    public Flux<Lease> receiveLeased(Inbound from) {
        return from.flux(new LeaseMapper(leases, "receiveLeased() at " + CallSite.find()));
    }

    /** How values are written with a user's {@code encoder}: in the byte order and size that messages have. */
    public <T> MessageEncoder<T> encoding(NetioEncoder<? super T> encoder) {
        return new MessageEncoder<>(encoder, config.byteOrder(), session.largestMessage(), "send less, or"
                + " allow more: with STREAM framing raise maxMessageSize there, with RAW and PAGE framing use larger send buffers"
                + " here");
    }

    /** A Flux with the operators of {@code chain}. They see demand and cancel on the loop, whatever thread these come from. */
    public <T> Flux<T> staysOnLoop(Flux<T> chain) {
        return LoopConfinedOperator.of(chain, resources.loop());
    }

    /** Closes the connection if it is not over; sends that are not done fail, messages that wait for demand are dropped. */
    public void dispose() {
        dispose("");
    }

    /** Closes the connection likewise. {@code because} is what errors say of the reason, after "was closed here". */
    public void dispose(String because) {
        if (disposed) {
            return;
        }
        closedBecause = because;
        disposed = true;
        try {
            resources.loop().execute(() -> {
                backend.closeActiveEndpoint(endpoint);
                session.discard();
                unread().forEach(Inbound::discard);
            });
        } catch (RejectedExecutionException e) {
            return; // the loop gives back everything when it ends
        }
    }

    public boolean isDisposed() {
        return disposed || over;
    }

    /** Why the connection is over. After that only. */
    public NetioException end() {
        return Objects.requireNonNull(end);
    }

    /** Completes when the connection is over, whoever ended it. */
    public Mono<Void> onDispose() {
        return closed.asMono();
    }

    // ---- what the backend says, on the loop

    int creditsPosted() {
        return over ? 0 : backend.creditsPosted(endpoint);
    }

    @Override
    public void onData(Endpoint here, ReceivedBuffer buffer) {
        if (!disposed) {
            session.onData(buffer);
        }
    }

    @Override
    public void onSendCompleted(Endpoint here, SendKind kind, long key) {
        session.onSendCompleted(kind, key);
    }

    @Override
    public void onResourcesAvailable(Endpoint here) {
        session.onResourcesAvailable();
    }

    @Override
    public void onConnectionClosed(Endpoint here, List<SendKey> cancelled, @Nullable NetioException cause) {
        boolean byUs = disposed;
        over = true;
        String what = endpoint
                + (cause != null ? " broke" : byUs ? " was closed here" + closedBecause : " was closed by the peer");
        try {
            session.onClosed(cause, what, byUs);
        } finally {
            end = aborted(session.reason(cause), what);
            closed.tryEmitEmpty();
        }
    }

    /** The error of a stream that ends because its connection did. */
    public static NetioException aborted(@Nullable NetioException cause, String what) {
        boolean broke = cause instanceof NetioFabricException || cause instanceof NetioSocketException;
        return cause != null && !broke ? cause : new NetioAbortedException(what + " before the end of the stream", 0, cause);
    }
}
