// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.ConnectionAccess;
import io.reactivenetio.connection.FramingRefusal;
import io.reactivenetio.connection.RegionSession;
import io.reactivenetio.connection.TaggedSession;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.lease.DiscardedLeases;
import io.reactivenetio.lease.LeaseFactory;
import io.reactivenetio.lifecycle.BlockingMono;
import io.reactivenetio.request.ContextPropagation;
import io.reactivenetio.request.RequestHandler;
import io.reactivenetio.request.RequestObservers;
import io.reactivenetio.request.Requester;
import io.reactivenetio.request.Responder;
import io.reactivenetio.request.TypedAnswers;
import io.reactivenetio.send.MessageEncoder;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.LogBudget;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Scheduler;

/**
 * An established connection, in both directions. All its signals come on the thread of one loop. Its methods may be called on any
 * thread, except {@link #disposeNow}.
 *
 * <p>A connection's buffers are native memory, which {@link #dispose} gives back. When the peer has gone, the messages that
 * arrived before are kept until they are received or the connection is disposed of.
 */
public final class NetioConnection implements NetioInbound, NetioOutbound, Disposable {
    private static final Logger LOG = LoggerFactory.getLogger(NetioConnection.class);
    private static final LogBudget WARNINGS = LogBudget.of(NetioConnection.class);

    /** How many requests a responder works on at a time, unless it is given another number. */
    public static final int DEFAULT_CONCURRENCY = 256;

    private static final int MOST_CONCURRENCY = 65_536;

    static {
        ConnectionAccess.provide(new ConnectionAccess.Way() {
            @Override
            public Connection behind(Object connection) {
                return ((NetioConnection) connection).engine;
            }

            @Override
            public <T> Flux<T> around(Object connection, String tags, Flux<T> messages) {
                NetioConnection on = (NetioConnection) connection;
                return on.propagation.subscribe(on, tags, messages);
            }
        });
        LeaseFactory.provide(Lease::new);
    }

    private final Connection engine;
    private final ContextPropagation<NetioConnection> propagation;
    private final Map<Long, NetioRequester> requesters = new ConcurrentHashMap<>();
    private final RequestObservers asked = new RequestObservers();
    private final RequestObservers answered = new RequestObservers();

    NetioConnection(Connection engine, ContextPropagation<NetioConnection> propagation) {
        this.engine = engine;
        this.propagation = propagation;
    }

    /** Returns this connection. */
    @Override
    public NetioConnection connection() {
        return this;
    }

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
        return engine.session() instanceof TaggedSession session ? engine.receiveTagged(session.inbound(), decoder::decode)
                : Flux.error(FramingRefusal::noTags);
    }

    @Override
    public Flux<Lease> receiveLeased() {
        return engine.receiveLeased(engine.session().inbound(), Lease::new);
    }

    @Override
    public <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain) {
        Publisher<R> result = chain.apply(receiveLeased());
        return DiscardedLeases.closed(engine.staysOnLoop(Flux.from(result)));
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return send(messages, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion completion) {
        return engine.session().send(messages, completion.level());
    }

    @Override
    public <T> Mono<Void> send(Publisher<? extends T> values, NetioEncoder<? super T> encoder, SendCompletion completion) {
        return send(encoding(encoder).messages(values), completion);
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages) {
        return sendTagged(messages, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages, SendCompletion completion) {
        return engine.session() instanceof TaggedSession session
                ? session.sendTagged(messages, completion.level(), TaggedMessage.PACKING) : Mono.error(FramingRefusal::noTags);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices) {
        return sendRegion(slices, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices, SendCompletion completion) {
        return engine.session() instanceof RegionSession session
                ? session.sendSlices(slices, completion.level(), RegionSlice::state) : Mono.error(FramingRefusal::noSlices);
    }

    @Override
    public Mono<Void> completeOutbound() {
        return engine.session().completeOutbound();
    }

    /**
     * The streams of {@code tag} on this connection. They are independent of what the connection itself sends and receives.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public NetioStream stream(long tag) {
        StreamSession session = streams();
        return new NetioStream(this, session, tag, session.prefetch());
    }

    private StreamSession streams() {
        if (engine.session() instanceof StreamSession session) {
            return session;
        }
        throw FramingRefusal.noStreams(this);
    }

    /**
     * The requester that asks the peer's responder of {@code tag}. Each call with the same tag returns the same requester.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public NetioRequester requester(long tag) {
        StreamSession session = streams();
        return requesters.computeIfAbsent(tag, key -> new NetioRequester(tag, Requester.open(engine, session, tag, propagation),
                answer -> asked.observed(propagation.request(this, tag, answer))));
    }

    /**
     * The requester that asks the peer's responder of {@code tag} with values. It is the one that {@link #requester(long)}
     * returns, with an encoder and a decoder of its own.
     *
     * @param encoder writes the requests, in the byte order of the server or client
     * @param decoder makes a value of an answer, which is a heap buffer in that byte order that it may keep
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public <Q, A> TypedRequester<Q, A> requester(long tag, NetioEncoder<? super Q> encoder,
            Function<? super ByteBuffer, ? extends A> decoder) {
        return new TypedRequester<>(requester(tag), encoding(encoder), decoder);
    }

    /**
     * Answers what the peer's {@link NetioRequester} of {@code tag} asks, {@value #DEFAULT_CONCURRENCY} requests at a time. See
     * {@link #respond(long, int, Function)}.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public Mono<Void> respond(long tag, Function<? super ByteBuffer, ? extends Mono<? extends ByteBuffer>> function) {
        return respond(tag, DEFAULT_CONCURRENCY, function);
    }

    /**
     * Answers what the peer's {@link NetioRequester} of {@code tag} asks. {@code function} makes each answer. It is called on the
     * loop, with a heap buffer of its own, and must not block. At most {@code concurrency} requests are worked on at a time, and
     * others wait at the requester.
     *
     * <p>The Mono that the function returns may signal on any thread. Its element is the answer, of which a copy is made. If it
     * is empty, so is the requester's Mono. If it fails, the requester's Mono fails with the text of
     * {@link Throwable#toString}. It is cancelled when the requester cancels or the connection ends.
     *
     * <p>The Mono that the function returns is subscribed to with the Context of the subscriber of the Mono that is returned
     * here, and with what {@linkplain NetioTransport#propagation propagators} have made of the request's headers.
     *
     * <p>Requests are answered while the returned Mono is subscribed to. It completes when the connection has gone, or a
     * requester that has asked. A responder of the peer with the same tag does not end it. It fails with
     * {@link IllegalStateException} if the tag has a responder or requester on this side already, and with
     * {@link io.reactivenetio.transport.exceptions.NetioProtocolException} when the peer's requester breaks the rules.
     *
     * @throws IllegalArgumentException if concurrency is not 1 to 65,536
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
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

    /**
     * Answers values with values, {@value #DEFAULT_CONCURRENCY} requests at a time. See
     * {@link #respond(long, int, Function, NetioEncoder, Function)}.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public <Q, A> Mono<Void> respond(long tag, Function<? super ByteBuffer, ? extends Q> decoder, NetioEncoder<? super A> encoder,
            Function<? super Q, ? extends Mono<? extends A>> function) {
        return respond(tag, DEFAULT_CONCURRENCY, decoder, encoder, function);
    }

    /**
     * Answers values with values, and otherwise as {@link #respond(long, int, Function)} does. What encoder or decoder throw is
     * the failure of the request, as if the Mono had failed, and so is what the encoder does wrong.
     *
     * @param decoder makes a value of a request, on the loop, which is a heap buffer that it may keep, in the byte order of the
     *     server or client
     * @param encoder writes the answers in that byte order, on the threads that emit them, several at a time
     * @throws IllegalArgumentException if concurrency is not 1 to 65,536
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public <Q, A> Mono<Void> respond(long tag, int concurrency, Function<? super ByteBuffer, ? extends Q> decoder,
            NetioEncoder<? super A> encoder, Function<? super Q, ? extends Mono<? extends A>> function) {
        return respond(tag, concurrency, TypedAnswers.of(decoder, this.<A>encoding(encoder), function));
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

    /** Runs {@code handler} with this connection, and closes the connection when the handler's Publisher ends. */
    void handle(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        DiscardedLeases.closed(Flux.defer(() -> handled(handler)))
                .concatWith(Mono.defer(this::tellComplete))
                .onErrorResume(error -> tellFailed(error).then(Mono.error(error)))
                .doFinally(signal -> engine.dispose(", as its handler had "
                        + (signal == SignalType.ON_ERROR ? "failed," : "completed,")))
                .subscribe(nothing -> { }, this::logEnd);
    }

    private Publisher<Void> handled(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        try {
            return handler.apply(this, this);
        } catch (Throwable t) {
            throw UserCode.rethrown(t);
        }
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

    /** What {@code encoder} writes, in the connection's byte order and up to the size of its messages. */
    <T> MessageEncoder<T> encoding(NetioEncoder<? super T> encoder) {
        return engine.encoding(encoder.getClass(), encoder::size, encoder::encode);
    }

    Connection engine() {
        return engine;
    }

    ContextPropagation<NetioConnection> propagation() {
        return propagation;
    }

    /** Those who observe the requests of this side. */
    RequestObservers asked() {
        return asked;
    }

    /** Those who observe the requests that this side answers. */
    RequestObservers answered() {
        return answered;
    }

    /** The peer's address. If the client was given a host name, the address is that name, and is not resolved. */
    public InetSocketAddress remoteAddress() {
        return engine.remoteAddress();
    }

    /**
     * The Scheduler that runs tasks on this connection's loop. Others share it, so disposing of it does nothing. Workers belong
     * to whoever creates them.
     */
    public Scheduler scheduler() {
        return engine.resources().scheduler();
    }

    /** Returns a snapshot of the counters. */
    public ConnectionStatistics statistics() {
        ConnectionCounters c = engine.counters();
        return new ConnectionStatistics(c.receivedMessages(), c.receivedBytes(), c.sentMessages(), c.sentBytes(),
                c.noResources(), c.heldBuffers(), engine.config().receiveBuffers(), c.heldBytes(), c.maxHeldBytes(),
                c.discardedMessages(), c.leasedBuffers(), c.leasedCopies(), c.leaseCopies());
    }

    /**
     * Closes the connection now. Sends that have not completed fail, and messages that wait for demand are dropped. To lose
     * nothing, wait for the completion of {@link #send} first.
     */
    @Override
    public void dispose() {
        engine.dispose();
    }

    /**
     * Closes the connection as {@link #dispose} does, and waits until it is over, at most {@code timeout}.
     *
     * @throws io.reactivenetio.transport.exceptions.NetioException if it is not over by then
     * @throws IllegalStateException on a loop's thread
     */
    public void disposeNow(Duration timeout) {
        dispose();
        BlockingMono.await(onDispose().thenReturn(true), timeout, "closing " + this);
    }

    @Override
    public boolean isDisposed() {
        return engine.isDisposed();
    }

    /** Completes when the connection is over, whichever side ended it. */
    public Mono<Void> onDispose() {
        return engine.onDispose();
    }

    @Override
    public String toString() {
        return "connection with " + Addresses.format(engine.remoteAddress());
    }
}
