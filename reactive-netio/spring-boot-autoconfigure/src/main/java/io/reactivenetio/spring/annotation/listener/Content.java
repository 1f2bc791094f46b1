// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.NetioCodecs;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import reactor.core.publisher.Flux;

/** How a method takes messages, and how to get them so. */
final class Content {
    private enum Kind {
        BUFFER,
        TAGGED,
        LEASE,
        BATCH,
        VALUE
    }

    private final Kind kind;
    private final @Nullable Function<ByteBuffer, ?> decoder;

    private Content(Kind kind, @Nullable Function<ByteBuffer, ?> decoder) {
        this.kind = kind;
        this.decoder = decoder;
    }

    /** @throws IllegalArgumentException if nothing decodes {@code type} */
    static Content of(ResolvableType type, NetioCodecs codecs) {
        Class<?> raw = type.toClass();
        if (raw == ByteBuffer.class) {
            return new Content(Kind.BUFFER, null);
        }
        if (raw == TaggedMessage.class) {
            return new Content(Kind.TAGGED, null);
        }
        if (raw == Lease.class) {
            return new Content(Kind.LEASE, null);
        }
        if (raw == MessageBatch.class) {
            return new Content(Kind.BATCH, null);
        }
        return new Content(Kind.VALUE, codecs.decoder(type));
    }

    boolean isLease() {
        return kind == Kind.LEASE;
    }

    /** Whether it is a batch, which is valid only while it is told. */
    boolean isBatch() {
        return kind == Kind.BATCH;
    }

    /** The messages of {@code tags}. Decoding does not end the Flux: a message says what was thrown. */
    Flux<Message> subscribe(NetioSubscriber subscriber, Tags tags) {
        return switch (kind) {
            case LEASE -> subscriber.subscribeLeased(tags).map(Message::of);
            case BATCH -> subscriber.subscribeBatches(tags).map(Message::of);
            case BUFFER, TAGGED, VALUE -> subscriber.subscribe(this::message, tags);
        };
    }

    private Message message(long tag, int status, ByteBuffer payload) {
        int bytes = payload.remaining();
        try {
            return new Message(tag, status, bytes, content(tag, status, payload), null);
        } catch (Throwable t) { // a decoder of the user's: the next message may be a good one
            return new Message(tag, status, bytes, null, t);
        }
    }

    private Object content(long tag, int status, ByteBuffer payload) {
        if (kind == Kind.VALUE) {
            return Objects.requireNonNull(Objects.requireNonNull(decoder).apply(payload), "the decoder has made null");
        }
        ByteBuffer copy = ByteBuffer.allocate(payload.remaining()).put(payload).flip().order(payload.order());
        return kind == Kind.BUFFER ? copy : new TaggedMessage(tag, status, copy);
    }

    /**
     * What one call of the method gets. Another call with the same message must find it as it was: a buffer that has been read is
     * at its end, and a lease may have been given back.
     */
    static @Nullable Object forOneCall(@Nullable Object content) {
        return switch (content) {
            case ByteBuffer buffer -> buffer.duplicate().order(buffer.order());
            case TaggedMessage message -> new TaggedMessage(message.tag(), message.status(),
                    message.payload().duplicate().order(message.payload().order()));
            case Lease lease -> lease.retain();
            case null, default -> content;
        };
    }
}
