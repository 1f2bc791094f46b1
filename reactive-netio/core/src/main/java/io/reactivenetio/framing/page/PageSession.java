// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.page;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.FrameListener;
import io.reactivenetio.connection.TaggedSession;
import io.reactivenetio.receive.DemandListener;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.receive.MessageRun;
import io.reactivenetio.receive.PageRun;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.send.Outbound;
import io.reactivenetio.send.SendMono;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.wire.PageReader;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * The two directions of a connection with PAGE framing. The {@link Inbound} has a page that is kept, the {@link Outbound} the
 * send buffers that the packer has filled. On the loop, unless said otherwise: {@link #inbound}, {@link #largestMessage} and what
 * makes a Mono are for any thread.
 */
final class PageSession implements TaggedSession {
    private static final MessageFields<ByteBuffer> UNTAGGED = MessageFields.plain(0);

    private final Connection connection;
    private final PageProvider framing;
    private final Inbound inbound;
    private final Outbound outbound;
    private final PagePacker packer;
    /** One Mono for all subscribers: each completes when the peer knows. */
    private final Mono<Void> completion;
    private final PageReader scout = new PageReader();
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(MessageRun.SMALL);
    /** The page that arrives; one that has to wait is the inbound's. */
    private PageRun page;
    private @Nullable NetioException failure;

    PageSession(Connection connection, PageProvider framing) {
        this.connection = connection;
        this.framing = framing;
        page = new PageRun(framing.emptyMessageEnds(), scratch);
        inbound = connection.inbound(DemandListener.NONE, connection.config().receiveBuffers());
        outbound = connection.outbound();
        packer = new PagePacker(outbound, connection, framing);
        outbound.serve(packer);
        completion = framing.emptyMessageEnds()
                ? Mono.defer(() -> // made when it is wanted: one that nobody wants is no forgotten send
                packed(Mono.fromSupplier(() -> ByteBuffer.allocate(0)), SendCompletion.DELIVERED, true,
                        UNTAGGED)).cache()
                : Mono.empty();
    }

    @Override
    public Inbound inbound() {
        return inbound;
    }

    @Override
    public int largestMessage() {
        return packer.largest(0);
    }

    @Override
    public void describe(ByteBuffer buffer, FrameListener frames) throws ProtocolException {
        PageReader reader = new PageReader().begin(buffer);
        while (reader.next()) {
            frames.frame("message tag " + Long.toUnsignedString(reader.tag()) + " status " + reader.status(),
                    reader.payloadOffset(), reader.payloadLength());
        }
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion level) {
        return packed(messages, level, !framing.emptyMessageEnds(), UNTAGGED);
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages, SendCompletion level) {
        return packed(messages, level, !framing.emptyMessageEnds(), MessageFields.TAGGED);
    }

    private <T> Mono<Void> packed(Publisher<? extends T> messages, SendCompletion level, boolean emptyAllowed,
            MessageFields<? super T> packing) {
        return new SendMono<T>(messages,
                actual -> packer.sender(actual, level == SendCompletion.DELIVERED, emptyAllowed, packing));
    }

    /** Sends the empty message that ends the stream, if both sides have agreed on that. */
    @Override
    public Mono<Void> completeOutbound() {
        return completion;
    }

    @Override
    public void onData(ReceivedBuffer buffer) {
        if (failure == null) {
            try {
                receive(buffer);
            } finally {
                actOnEnd();
            }
        }
        outbound.onMessageReceived();
    }

    private void receive(ReceivedBuffer buffer) {
        boolean through = !page.begin(buffer);
        try {
            through = through || inbound.onRun(page);
        } finally {
            if (through || page.isThrough()) {
                page.leave();
            } else {
                inbound.hold(page.keep(scout));
            }
        }
    }

    /** Acts on what follows the page's messages: the end of the stream, or an error in the page. */
    private void actOnEnd() {
        ProtocolException wrong = page.failure();
        if (page.endsStream()) {
            inbound.end(null);
        } else if (wrong != null) {
            failure = new NetioProtocolException(connection.endpoint() + " broke the rules: " + wrong.getMessage(), wrong);
            connection.backend().closeActiveEndpoint(connection.endpoint());
        }
        if (page.isKept()) {
            page = new PageRun(framing.emptyMessageEnds(), scratch);
        }
    }

    @Override
    public void onSendCompleted(SendKind kind, long key) {
        outbound.onSendCompleted(kind, key);
    }

    @Override
    public void onResourcesAvailable() {
        outbound.onResourcesAvailable();
    }

    @Override
    public void resume() {
        inbound.drain();
    }

    @Override
    public void discard() {
        inbound.discard();
    }

    @Override
    public void onClosed(@Nullable NetioException cause, String what, boolean byUs) {
        NetioException reason = reason(cause);
        outbound.close(reason, what);
        boolean complete = reason == null && !byUs && framing.closeEnds();
        inbound.end(complete ? null : Connection.aborted(reason, what));
    }

    @Override
    public @Nullable NetioException reason(@Nullable NetioException cause) {
        return failure != null ? failure : cause;
    }
}
