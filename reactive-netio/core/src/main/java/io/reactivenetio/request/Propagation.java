// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.Deadline;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.wire.RequestHeaders;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** The propagators of a server or client. The first is around the others. All methods may be called on any thread. */
public final class Propagation {
    /** Without propagators, everything stays as it is, and nothing is allocated. */
    public static final Propagation NONE = new Propagation(List.of());

    private static final Logger LOG = LoggerFactory.getLogger(NetioPropagator.class);

    private final List<NetioPropagator> propagators;
    private final AtomicBoolean warned = new AtomicBoolean();

    private Propagation(List<NetioPropagator> propagators) {
        this.propagators = propagators;
    }

    public Propagation and(NetioPropagator next) {
        Objects.requireNonNull(next, "propagator");
        return new Propagation(Stream.concat(propagators.stream(), Stream.of(next)).toList());
    }

    /** Whether there is no propagator, so that everything stays as it is. */
    public boolean isNone() {
        return propagators.isEmpty();
    }

    /** The headers of a request with {@code context}, encoded, in {@code room} bytes at most; nothing if there are none. */
    public byte[] headers(ContextView context, @Nullable Deadline deadline, int room) {
        if (isNone() && deadline == null) {
            return RequestProtocol.NO_HEADERS;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        if (deadline != null) {
            headers.put(RequestHeaders.TIMEOUT, RequestHeaders.NO_TIME);
        }
        for (NetioPropagator each : propagators) {
            each.write(context, (key, value) -> put(headers, each, key, value));
        }
        return RequestHeaders.encode(headers, room, this::leftOut);
    }

    private static void put(Map<String, String> headers, NetioPropagator by, String key, String value) {
        if (key.equals(RequestHeaders.TIMEOUT)) {
            throw new IllegalArgumentException(by + " has written the header " + key + ": give the request a timeout instead");
        }
        if (key.isEmpty()) {
            throw new IllegalArgumentException(by + " has written a header without a key, with the value " + value);
        }
        headers.put(key, Objects.requireNonNull(value, () -> by + " has written null as the value of the header " + key));
    }

    private void leftOut(String key, int bytes) {
        if (!warned.getAndSet(true)) {
            LOG.warn("A header of a request is left out: {} has {} bytes, and a request has {} headers of {} bytes together, less"
                    + " if it is nearly as large as the peer takes; a key has 255. Write less, and what matters most first. This"
                    + " is said once.", key, bytes, RequestHeaders.MOST, RequestHeaders.MOST_BYTES);
        }
    }

    public Mono<NetioConnection> connect(SocketAddress peer, Mono<NetioConnection> connecting) {
        return isNone() ? connecting : around(connecting, (by, inner) -> by.aroundConnect(peer, inner));
    }

    /** {@code messages}, with what the propagators have around a subscription. */
    public <T> Flux<T> subscribe(NetioConnection connection, String tags, Flux<T> messages) {
        return isNone() ? messages : around(messages, (by, inner) -> by.aroundSubscribe(connection, tags, inner));
    }

    /** {@code answer} of a requester, with what the propagators have around it. */
    public Mono<ByteBuffer> request(NetioConnection connection, long tag, Mono<ByteBuffer> answer) {
        return isNone() ? answer : around(answer, (by, inner) -> by.aroundRequest(connection, tag, inner));
    }

    /** {@code answer} of a responder, with the Context that the headers of its request make. */
    public Mono<ByteBuffer> respond(NetioConnection connection, long tag, Map<String, String> headers,
            Mono<ByteBuffer> answer) {
        return around(answer, (by, inner) -> by.aroundRespond(connection, tag, headers, inner))
                .contextWrite(context -> read(headers, context));
    }

    private Context read(Map<String, String> headers, Context context) {
        Context result = context;
        for (NetioPropagator each : propagators) {
            result = Objects.requireNonNull(each.read(headers, result), () -> each + " has returned no Context");
        }
        return result;
    }

    private <P> P around(P innermost, BiFunction<NetioPropagator, P, P> wrap) {
        P result = innermost;
        for (NetioPropagator each : propagators.reversed()) {
            result = Objects.requireNonNull(wrap.apply(each, result), () -> each + " has returned null");
        }
        return result;
    }
}
