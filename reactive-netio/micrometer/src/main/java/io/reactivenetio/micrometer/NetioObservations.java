// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioPropagator;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.BiConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Observes with Micrometer what servers and clients do that are given it with
 * {@link io.reactivenetio.NetioTransport#propagation}. {@link NetioObservationDocumentation} has the names and keys. Meters,
 * traces and logs are the business of the registry's handlers. With those of Micrometer Tracing,
 * {@code PropagatingSenderTracingObservationHandler} and its counterpart for receivers, a trace goes on in the process that
 * answers a request, in headers such as {@code traceparent}: both sides need observations then.
 *
 * <p>The parent of an observation is the one in the Context of the subscriber, or else the current one of the subscribing
 * thread. That of an answer is what the headers say. Each observation is in the Context of what it observes, under the key of
 * Micrometer's {@link ObservationThreadLocalAccessor}. So requests that a responder makes belong to the request that it answers,
 * and with {@code Hooks.enableAutomaticContextPropagation()} its operators see the observation as the current one.
 *
 * <p>An observation ends before its subscriber is told the end. Handlers are called on the threads of the signals, loops among
 * them, and must not block. A convention of the registry, {@code GlobalObservationConvention}, gives other names and keys. A
 * predicate switches observations off.
 */
public final class NetioObservations implements NetioPropagator {
    private final ObservationRegistry registry;

    private NetioObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Creates observations in {@code registry}. */
    public static NetioObservations create(ObservationRegistry registry) {
        return new NetioObservations(registry);
    }

    @Override
    public void write(ContextView context, BiConsumer<String, String> headers) {
        if (context.getOrDefault(this, null) instanceof NetioRequestContext request) {
            Map<String, String> carrier = request.getCarrier();
            if (carrier != null) {
                carrier.forEach(headers);
            }
        }
    }

    @Override
    public Mono<NetioConnection> aroundConnect(SocketAddress peer, Mono<NetioConnection> connecting) {
        return registry.isNoop() ? connecting : Mono.deferContextual(context -> {
            ObservedOperation operation = new ObservedOperation(NetioObservationDocumentation.CONNECT, "", peer);
            return RunningObservation.begin(registry, operation, context, () -> new NetioClientContext(operation))
                    .around(connecting);
        });
    }

    @Override
    public <T> Flux<T> aroundSubscribe(NetioConnection connection, String tags, Flux<T> messages) {
        return registry.isNoop() ? messages : Flux.deferContextual(context -> {
            ObservedOperation operation = new ObservedOperation(NetioObservationDocumentation.SUBSCRIBE, tags,
                    connection.remoteAddress());
            return RunningObservation.begin(registry, operation, context, () -> new NetioClientContext(operation))
                    .around(messages);
        });
    }

    @Override
    public Mono<ByteBuffer> aroundRequest(NetioConnection connection, long tag, Mono<ByteBuffer> answer) {
        return registry.isNoop() ? answer : Mono.deferContextual(context -> {
            NetioRequestContext request = new NetioRequestContext(
                    operation(NetioObservationDocumentation.REQUEST, connection, tag));
            return RunningObservation.begin(registry, request.operation(), context, () -> request).around(answer)
                    .contextWrite(inner -> inner.put(this, request));
        });
    }

    @Override
    public Mono<ByteBuffer> aroundRespond(NetioConnection connection, long tag, Map<String, String> headers,
            Mono<ByteBuffer> answer) {
        return registry.isNoop() ? answer : Mono.defer(() -> {
            ObservedOperation operation = operation(NetioObservationDocumentation.RESPOND, connection, tag);
            return RunningObservation.begin(registry, operation, Context.empty(),
                    () -> new NetioRespondContext(operation, headers)).around(answer);
        }).contextWrite(context -> context.delete(ObservationThreadLocalAccessor.KEY)); // of the subscriber of respond
    }

    private static ObservedOperation operation(NetioObservationDocumentation what, NetioConnection connection, long tag) {
        return new ObservedOperation(what, Long.toUnsignedString(tag), connection.remoteAddress());
    }
}
