// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.NetioCodec;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioCodecs;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.springframework.core.ResolvableType;

/** Makes requesters that ask with values, and get values. Any thread. */
public final class NetioRequesters {
    private final NetioClients clients;
    private final NetioCodecs codecs;

    /** Made by the starter, which has it as a bean. */
    public NetioRequesters(NetioClients clients, NetioCodecs codecs) {
        this.clients = clients;
        this.codecs = codecs;
    }

    /**
     * A requester of {@code tag} over the shared connection of {@code client}, which is made with the first request. Keep it.
     *
     * @param client the name under {@code netio.clients}; empty where there is only one
     * @throws IllegalArgumentException if there is no such client, or nothing encodes or decodes the types
     */
    public <Q, A> NetioTypedRequester<Q, A> requester(String client, long tag, Class<Q> request, Class<A> answer) {
        return requester(client, tag, ResolvableType.forClass(request), ResolvableType.forClass(answer));
    }

    /** A requester as that of {@link #requester(String, long, Class, Class)}, of types with parameters, such as lists. */
    public <Q, A> NetioTypedRequester<Q, A> requester(String client, long tag, ResolvableType request, ResolvableType answer) {
        Function<ByteBuffer, A> decoder = codecs.decoder(answer);
        return new NetioTypedRequester<>(clients.connection(client), tag, encoder(request), decoder);
    }

    /** What encodes values of {@code type}; for buffers, what takes them as they are. */
    private <T> NetioEncoder<T> encoder(ResolvableType type) {
        @SuppressWarnings("unchecked") // T is a ByteBuffer then
        NetioEncoder<T> buffers = (NetioEncoder<T>) NetioCodec.buffers();
        return ByteBuffer.class.isAssignableFrom(type.toClass()) ? buffers : codecs.encoder(type);
    }
}
