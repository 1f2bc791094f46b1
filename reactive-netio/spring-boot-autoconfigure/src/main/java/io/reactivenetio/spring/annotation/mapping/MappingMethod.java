// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.mapping;

import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.Thrown;
import io.reactivenetio.spring.annotation.BlockingMode;
import io.reactivenetio.spring.annotation.NetioMapping;
import io.reactivenetio.spring.annotation.NetioMethodException;
import io.reactivenetio.spring.annotation.method.BeanMethod;
import io.reactivenetio.spring.annotation.method.GuardedFlux;
import io.reactivenetio.spring.annotation.method.Results;
import io.reactivenetio.spring.annotation.method.ValueEncoder;
import io.reactivenetio.spring.security.PeerScope;
import io.reactivenetio.transport.backend.LogBudget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.Principal;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Scheduler;

/** A method that answers the requests of one tag. */
final class MappingMethod {
    private static final Logger LOG = LoggerFactory.getLogger(NetioMapping.class);
    private static final LogBudget WARNINGS = LogBudget.of(NetioMapping.class);

    private final BeanMethod method;
    private final long tag;
    private final int concurrency;
    private final Results results;
    private final @Nullable Function<ByteBuffer, ?> decoder;
    private final @Nullable ValueEncoder encoder;
    private final boolean blocks;
    /** What kind of Principal it takes, or null. */
    private final @Nullable Class<?> principalType;

    /** @throws NetioMethodException if the method is none that can answer requests */
    MappingMethod(BeanMethod method, long tag, int concurrency, BlockingMode blocking, NetioCodecs codecs) {
        this.method = method;
        this.tag = tag;
        this.concurrency = concurrency;
        this.results = new Results(method.returned());
        this.principalType = principalType(method);
        this.decoder = decoder(method, codecs);
        this.encoder = results.isEmpty() ? null : encoder(method, results, codecs);
        this.blocks = switch (blocking) {
            case VIRTUAL_THREADS -> true;
            case NON_BLOCKING -> false;
            case BY_RETURN_TYPE -> !results.isAsynchronous();
        };
    }

    private static @Nullable Function<ByteBuffer, ?> decoder(BeanMethod method, NetioCodecs codecs) {
        int parameters = method.method().getParameterCount() - (principalType(method) == null ? 0 : 1);
        if (parameters > 1) {
            throw method.refused("it takes " + parameters + " parameters, and a request is one message",
                    "Let it take a ByteBuffer, a type that can be decoded, or nothing, and a Principal behind that");
        }
        if (parameters == 0) {
            return null;
        }
        ResolvableType type = method.parameter(0);
        if (type.toClass() == ByteBuffer.class) {
            return Function.identity();
        }
        try {
            return codecs.decoder(type);
        } catch (IllegalArgumentException e) {
            throw method.refused("nothing decodes " + type, "Take a ByteBuffer, or declare a bean of NetioCodec<"
                    + type.toClass().getSimpleName() + ">", e);
        }
    }

    /** The type of the last parameter, if that is who asks. */
    private static @Nullable Class<?> principalType(BeanMethod method) {
        int parameters = method.method().getParameterCount();
        Class<?> last = parameters == 0 ? Object.class : method.parameter(parameters - 1).toClass();
        return Principal.class.isAssignableFrom(last) ? last : null;
    }

    private static ValueEncoder encoder(BeanMethod method, Results results, NetioCodecs codecs) {
        if (results.isSeveral()) {
            throw method.refused("it returns " + method.returned() + ", and an answer is one message",
                    "Return a Mono or a value; a Flux is for @NetioPublish");
        }
        return ValueEncoder.of(method, results.values(), codecs);
    }

    long tag() {
        return tag;
    }

    int concurrency() {
        return concurrency;
    }

    /** Whether it is called on virtual threads. */
    boolean blocks() {
        return blocks;
    }

    void resolve() {
        method.resolve();
    }

    /** Answers a request of {@code peer}, on {@code threads} if it blocks. Called on the loop. */
    Mono<ByteBuffer> answer(ByteBuffer request, PeerScope peer, Scheduler threads) {
        @Nullable Object question;
        try {
            question = decoder == null ? null : Objects.requireNonNull(decoder.apply(request), "the decoder has made null");
        } catch (Throwable t) { // a decoder of the user's
            return Mono.error(failed(t));
        }
        Mono<?> answer = Mono.defer(() -> call(question, peer));
        return (blocks ? answer.subscribeOn(threads) : answer)
                .<ByteBuffer>handle((value, sink) -> {
                    if (encoder != null) {
                        encode(encoder, value, request.order(), sink);
                    }
                })
                .onErrorMap(this::failed)
                .contextWrite(peer.context());
    }

    private static void encode(ValueEncoder encoder, Object value, ByteOrder order, SynchronousSink<ByteBuffer> sink) {
        ByteBuffer message;
        try {
            message = encoder.message(value, order);
        } catch (Throwable t) { // of an encoder of the user's
            sink.error(Thrown.signal(t));
            return;
        }
        sink.next(message);
    }

    private Mono<?> call(@Nullable Object question, PeerScope peer) {
        try {
            Object result = peer.call(() -> {
                if (principalType == null) {
                    return decoder == null ? method.invoke() : method.invoke(question);
                }
                Principal who = peer.as(principalType);
                return decoder == null ? method.invoke(who) : method.invoke(question, who);
            });
            Publisher<?> publisher = results.publisher(result);
            return publisher == null ? Mono.justOrEmpty(result) : Mono.from(new GuardedFlux<>(publisher, () -> { }));
        } catch (Throwable t) { // the method's, which the requester is told
            return Mono.error(Thrown.signal(t));
        }
    }

    private Throwable failed(Throwable error) {
        if (LOG.isDebugEnabled()) {
            LOG.debug("a request of tag {} has failed in {}", Long.toUnsignedString(tag), method, Thrown.loggable(error));
        } else {
            WARNINGS.warn("a request of tag {} has failed in {}: {}", Long.toUnsignedString(tag), method, Thrown.text(error));
        }
        return Thrown.signal(Thrown.loggable(error));
    }

    @Override
    public String toString() {
        return method.toString();
    }
}
