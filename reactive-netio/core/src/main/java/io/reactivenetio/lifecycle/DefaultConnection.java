// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.MetricsRecorder;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.api.Network;
import io.reactivenetio.api.RequestSide;
import io.reactivenetio.api.TaggedDecoder;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.TypedRequester;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.FramingRefusal;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.connection.TaggedSession;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.lease.DiscardedLeases;
import io.reactivenetio.request.Propagation;
import io.reactivenetio.request.RequestHandler;
import io.reactivenetio.request.RequestObservers;
import io.reactivenetio.request.Requester;
import io.reactivenetio.request.Responder;
import io.reactivenetio.request.TypedAnswers;
import io.reactivenetio.request.TypedRequests;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.security.Principal;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Scheduler;

/** The connection that users hold, on the {@link Connection} that does the work. */
public final class DefaultConnection extends ForwardingOutbound implements NetioConnection {
    private static final Logger LOG = LoggerFactory.getLogger(NetioConnection.class);
    private static final LogBudget WARNINGS = LogBudget.of(NetioConnection.class);
    private static final int MOST_CONCURRENCY = 65_536;

    private final Connection engine;
    private final Propagation propagation;
    private final Map<Long, NetioRequester> requesters = new ConcurrentHashMap<>();
    private final RequestObservers asked = new RequestObservers(this, RequestSide.REQUESTER);
    private final RequestObservers answered = new RequestObservers(this, RequestSide.RESPONDER);

    public DefaultConnection(Connection engine, Propagation propagation) {
        super(new ConnectionOutbound(engine, SendCompletion.DELIVERED));
        this.engine = engine;
        this.propagation = propagation;
    }

    /**
     * What does the work of {@code connection}.
     *
     * @throws IllegalArgumentException if the library has not made it
     */
    public static DefaultConnection of(NetioConnection connection) {
        if (connection instanceof DefaultConnection made) {
            return made;
        }
        throw new IllegalArgumentException("no connection of a NetioServer or NetioClient: " + connection.getClass().getName());
    }

    public Connection engine() {
        return engine;
    }

    public Propagation propagation() {
        return propagation;
    }

    /** {@code messages} of a subscription to {@code tags}, with what the propagators have around it. */
    public <T> Flux<T> subscribing(String tags, Flux<T> messages) {
        return propagation.subscribe(this, tags, messages);
    }

    /** Tells {@code recorder} of the requests of both sides, once. */
    public void record(MetricsRecorder recorder) {
        asked.add(recorder);
        answered.add(recorder);
    }

    @Override
    public NetioConnection connection() {
        return this;
    }

    // ---- receiving

    @Override
    public Flux<ByteBuffer> receive() {
        return engine.receive(engine.session().inbound());
    }

    @Override
    public <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder) {
        return engine.receive(engine.session().inbound(), decoder);
    }

    @Override
    public <T> Flux<T> receiveTagged(TaggedDecoder<? extends T> decoder) {
        return engine.session() instanceof TaggedSession session ? engine.receiveTagged(session.inbound(), decoder)
                : Flux.error(FramingRefusal::noTags);
    }

    @Override
    public Flux<TaggedMessage> receiveTagged() {
        return receiveTagged(HeapCopy::tagged);
    }

    @Override
    public Flux<MessageBatch> receiveBatches(int most) {
        return engine.receiveBatches(engine.session().inbound(), most);
    }

    @Override
    public Flux<Lease> receiveLeased() {
        return engine.receiveLeased(engine.session().inbound());
    }

    @Override
    public <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain) {
        return DiscardedLeases.closed(engine.staysOnLoop(Flux.from(chain.apply(receiveLeased()))));
    }

    // ---- streams and requests

    @Override
    public NetioStream stream(long tag) {
        StreamSession session = streams();
        return new DefaultStream(this, session, tag, session.prefetch());
    }

    private StreamSession streams() {
        if (engine.session() instanceof StreamSession session) {
            return session;
        }
        throw FramingRefusal.noStreams(this);
    }

    @Override
    public NetioRequester requester(long tag) {
        StreamSession session = streams();
        return requesters.computeIfAbsent(tag, key -> Requester.open(engine, session, tag, propagation,
                answer -> asked.observed(propagation.request(this, tag, answer))));
    }

    @Override
    public <Q, A> TypedRequester<Q, A> requester(long tag, NetioEncoder<? super Q> encoder,
            Function<? super ByteBuffer, ? extends A> decoder) {
        return new TypedRequests<>(requester(tag), engine.encoding(encoder), decoder);
    }

    @Override
    public Mono<Void> respond(long tag, Function<? super ByteBuffer, ? extends Mono<? extends ByteBuffer>> function) {
        return respond(tag, DEFAULT_CONCURRENCY, function);
    }

    @Override
    public Mono<Void> respond(long tag, int concurrency,
            Function<? super ByteBuffer, ? extends Mono<? extends ByteBuffer>> function) {
        if (concurrency < 1 || concurrency > MOST_CONCURRENCY) {
            throw new IllegalArgumentException("concurrency must be 1 to " + MOST_CONCURRENCY + ": " + concurrency);
        }
        StreamSession session = streams();
        RequestHandler handler = (headers, request) -> propagation.isNone() ? answer(request, function)
                : propagation.respond(this, tag, headers, Mono.defer(() -> answer(request, function)));
        return Mono.create(sink -> new Responder(engine, session, tag, handler, answered, concurrency, sink).start());
    }

    private static Mono<? extends ByteBuffer> answer(ByteBuffer request,
            Function<? super ByteBuffer, ? extends Mono<? extends ByteBuffer>> function) {
        return Objects.requireNonNull(function.apply(request), "the function has returned no Mono");
    }

    @Override
    public <Q, A> Mono<Void> respond(long tag, Function<? super ByteBuffer, ? extends Q> decoder, NetioEncoder<? super A> encoder,
            Function<? super Q, ? extends Mono<? extends A>> function) {
        return respond(tag, DEFAULT_CONCURRENCY, decoder, encoder, function);
    }

    @Override
    public <Q, A> Mono<Void> respond(long tag, int concurrency, Function<? super ByteBuffer, ? extends Q> decoder,
            NetioEncoder<? super A> encoder, Function<? super Q, ? extends Mono<? extends A>> function) {
        return respond(tag, concurrency, TypedAnswers.of(decoder, engine.<A>encoding(encoder), function));
    }

    // ---- a handler

    /** Runs {@code handler} with this connection, and closes the connection when the handler's Publisher ends. */
    public void handle(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        Principal peer = engine.peer();
        DiscardedLeases.closed(Flux.defer(() -> handled(handler)))
                .concatWith(Mono.defer(this::tellComplete))
                .onErrorResume(error -> tellFailed(error).then(Mono.error(error)))
                .doFinally(signal -> engine.dispose(", as its handler had "
                        + (signal == SignalType.ON_ERROR ? "failed," : "completed,")))
                .contextWrite(context -> peer == null ? context : context.put(Principal.class, peer))
                .subscribe(nothing -> { }, this::logEnd);
    }

    private Publisher<Void> handled(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        try {
            return handler.apply(this, this);
        } catch (Throwable t) {
            throw UserCode.rethrown(t);
        }
    }

    /** Tells the peer that a handler has completed, as far as the framing can say so. It is no error if the peer has gone. */
    private Mono<Void> tellComplete() {
        return engine.session() instanceof StreamSession ? completeOutbound().onErrorComplete(NetioException.class)
                : Mono.empty();
    }

    private Mono<Void> tellFailed(Throwable reason) {
        return engine.session() instanceof StreamSession session
                ? session.failOutbound(reason).onErrorComplete(NetioException.class) : Mono.empty();
    }

    /**
     * Logs the handler's own errors with their stack traces, to be found there, and errors of the connection without. A peer that
     * takes its leave in order is no reason for a warning.
     */
    private void logEnd(Throwable error) {
        if (error instanceof NetioAbortedException && error.getCause() == null) {
            LOG.debug("{} ended: {}", this, UserCode.text(error));
        } else if (error instanceof NetioException) {
            WARNINGS.warn("{} ended: {}", this, UserCode.text(error));
        } else {
            UserCode.warn(WARNINGS, this + " ended: its handler failed", error);
        }
    }

    // ---- the connection itself

    @Override
    public @Nullable SocketAddress localAddress() {
        return engine.localAddress();
    }

    @Override
    public SocketAddress remoteAddress() {
        return engine.remoteAddress();
    }

    @Override
    public @Nullable SSLSession tlsSession() {
        return engine.tlsSession();
    }

    @Override
    public @Nullable Principal principal() {
        return engine.peer();
    }

    @Override
    public Network network() {
        return engine.network();
    }

    @Override
    public Scheduler scheduler() {
        return engine.resources().scheduler();
    }

    @Override
    public ConnectionStatistics statistics() {
        ConnectionCounters c = engine.counters();
        return new ConnectionStatistics(c.receivedMessages(), c.receivedBytes(), c.sentMessages(), c.sentBytes(),
                c.noResources(), c.heldBuffers(), engine.config().receiveBuffers(), c.heldBytes(), c.maxHeldBytes(),
                c.discardedMessages(), c.leasedBuffers(), c.leasedCopies(), c.leaseCopies());
    }

    @Override
    public void dispose() {
        engine.dispose();
    }

    @Override
    public void disposeNow(Duration timeout) {
        dispose();
        BlockingMono.await(onDispose().thenReturn(true), timeout, "closing " + this);
    }

    @Override
    public boolean isDisposed() {
        return engine.isDisposed();
    }

    @Override
    public Mono<Void> onDispose() {
        return engine.onDispose();
    }

    @Override
    public String toString() {
        return "connection with " + Addresses.format(engine.remoteAddress());
    }
}
