// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.mapping;

import io.reactivenetio.spring.FramingKind;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.UnknownClientException;
import io.reactivenetio.spring.annotation.NetioMapping;
import io.reactivenetio.spring.annotation.method.AnnotatedMethods;
import io.reactivenetio.spring.annotation.method.BeanMethod;
import io.reactivenetio.spring.annotation.method.Texts;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Makes mappings of the methods that are annotated with {@link NetioMapping}. */
public final class Mappings implements AnnotatedMethods.Use<NetioMapping> {
    private static final int MOST_CONCURRENCY = 65_536;

    private final Texts texts;
    private final NetioClients clients;
    private final NetioCodecs codecs;
    private final MappingRegistry mappings;
    private final BooleanSupplier hasServer;
    private final @Nullable FramingKind framing;

    /** {@code framing} is that of the server; null if it is the default. */
    public Mappings(Texts texts, NetioClients clients, NetioCodecs codecs, MappingRegistry mappings, BooleanSupplier hasServer,
            @Nullable FramingKind framing) {
        this.texts = texts;
        this.clients = clients;
        this.codecs = codecs;
        this.mappings = mappings;
        this.hasServer = hasServer;
        this.framing = framing;
    }

    @Override
    public void add(BeanMethod method, NetioMapping annotation) {
        String client = texts.text(method, "client", annotation.client());
        if (client.isEmpty() && !hasServer.getAsBoolean()) {
            throw method.refused("there is no server whose requests it could answer",
                    "Set netio.server.port, or say with client= on whose connections to answer");
        }
        if (client.isEmpty() && framing != null && framing != FramingKind.STREAM) {
            throw method.refused("netio.server.framing is " + framing + ", which has no requests", "Leave it out, on both sides");
        }
        if (!client.isEmpty()) {
            try {
                clients.connection(client);
            } catch (UnknownClientException e) {
                throw method.unknownClient(e);
            }
        }
        MappingMethod mapping = new MappingMethod(method, texts.tag(method, annotation.value()),
                texts.number(method, "concurrency", annotation.concurrency(), 1, MOST_CONCURRENCY), annotation.blocking(),
                codecs);
        MappingMethod other = mappings.add(client, mapping);
        if (other != null) {
            throw method.refused("tag " + Long.toUnsignedString(mapping.tag()) + " is answered by " + other + " already",
                    "Give one of them another tag");
        }
    }
}
