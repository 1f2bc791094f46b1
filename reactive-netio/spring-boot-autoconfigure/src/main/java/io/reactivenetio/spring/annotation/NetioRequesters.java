// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.spring.NetioClientProperties;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.NetioProperties;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.function.Function;
import org.springframework.core.ResolvableType;

/** Makes requesters that ask with values, and get values. Any thread. */
public final class NetioRequesters {
    private final NetioClients clients;
    private final NetioCodecs codecs;
    private final Map<String, NetioClientProperties> properties;

    NetioRequesters(NetioClients clients, NetioCodecs codecs, Map<String, NetioClientProperties> properties) {
        this.clients = clients;
        this.codecs = codecs;
        this.properties = properties;
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
        Function<ByteBuffer, ? extends A> decoder = codecs.decoder(answer);
        return new NetioTypedRequester<>(clients.connection(client), tag, Encoding.of(request, codecs), byteOrder(client),
                decoder);
    }

    private ByteOrder byteOrder(String client) {
        NetioClientProperties own = client.isEmpty() && properties.size() == 1 ? properties.values().iterator().next()
                : properties.get(client);
        return own != null && own.byteOrder() == NetioProperties.ByteOrder.LITTLE_ENDIAN ? ByteOrder.LITTLE_ENDIAN
                : ByteOrder.BIG_ENDIAN;
    }
}
