// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.send.SendMono;
import io.reactivenetio.send.page.DeliveryListener;
import io.reactivenetio.send.page.DeliveryTracker;
import io.reactivenetio.send.page.MessageSender;
import io.reactivenetio.send.page.PageDelivery;
import io.reactivenetio.send.page.SendChannel;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Takes the sends for one tag, or for the connection itself. They wait here until the peer has subscribed, and are merged into
 * its stream. On the loop, unless said otherwise.
 */
final class SendPort implements SendChannel {
    /** An end that somebody wants for the stream, with the sink that waits for it. Each is equal to itself alone. */
    private static final class EndRequest implements DeliveryListener {
        private final Consumer<OutStream> how;
        private final MonoSink<Void> sink;
        private boolean withdrawn;

        EndRequest(Consumer<OutStream> how, MonoSink<Void> sink) {
            this.how = how;
            this.sink = sink;
        }

        @Override
        public void delivered() {
            sink.success();
        }

        @Override
        public boolean isAwaited() {
            return !withdrawn;
        }
    }

    /** Waits for the peer to know that the last stream of the port has ended. */
    private final class LastStream implements DeliveryListener {
        private final OutStream ended;

        LastStream(OutStream ended) {
            this.ended = ended;
        }

        @Override
        public void delivered() {
            if (ending == ended) {
                ending = null;
                streams.ended(SendPort.this);
            }
        }

        @Override
        public boolean isAwaited() {
            return ending == ended;
        }
    }

    private final SendContext context;
    private final OutStreams streams;
    private final MessageFields<ByteBuffer> plain;
    private final Deque<MessageSender<?>> waiting = new ArrayDeque<>();
    private final Set<EndRequest> waitingEnds = new LinkedHashSet<>();
    private final Set<MessageSender<?>> confirming = new LinkedHashSet<>();
    private final long tag;
    private @Nullable OutStream stream;
    /** The stream before, while somebody waits for the peer to know that it has ended. */
    private @Nullable OutStream ending;
    /** How many sends and ends of this side are not over. Changed by {@link OutStreams} alone, under its lock. */
    private int users;

    /** A port for plain messages of this tag. */
    SendPort(SendContext context, OutStreams streams, long tag) {
        this.context = context;
        this.streams = streams;
        this.tag = tag;
        this.plain = MessageFields.plain(tag);
    }

    // ---- any thread

    long tag() {
        return tag;
    }

    /** Notes that somebody here uses the port, which stays then when its stream has ended. */
    void use() {
        users++;
    }

    void unuse() {
        users--;
    }

    boolean isUsed() {
        return users > 0;
    }

    @Override
    public EventLoop loop() {
        return context.connection().loop();
    }

    @Override
    public int alwaysFits() {
        return context.largestMessage();
    }

    @Override
    public RuntimeException refusal(int bytes, int status) {
        return new MessageTooLargeException("a message of " + bytes + " bytes; the peer takes at most " + alwaysFits()
                + ": send less, or raise maxMessageSize there");
    }

    /** Sends plain messages. The Mono completes when the peer has them all, or with TRANSMITTED when they have left. */
    Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion level) {
        return send(messages, level, plain);
    }

    /** Sends messages with their tags and status. The Mono completes as {@code level} says. */
    <T> Mono<Void> send(Publisher<? extends T> messages, SendCompletion level, MessageFields<? super T> packing) {
        return new SendMono<T>(messages, actual -> sender(actual, level, packing));
    }

    /** A sender for one such send. The caller subscribes it to the upstream. */
    <T> MessageSender<T> sender(CoreSubscriber<? super Void> actual, SendCompletion level, MessageFields<? super T> packing) {
        DeliveryTracker tracker = level == SendCompletion.DELIVERED ? new PingDelivery(context.pings())
                : new PageDelivery(context.pages().transmitted(), false);
        return new MessageSender<>(this, actual, tracker, packing, true);
    }

    /**
     * Completes the stream that the peer has subscribed to, or the next one. The Mono completes when the peer knows. It may be
     * subscribed to any number of times: until the peer knows, the same stream is meant.
     */
    Mono<Void> complete() {
        return onLoop(OutStream::complete);
    }

    /** Fails the stream instead of completing it. */
    Mono<Void> fail(Throwable reason) {
        return onLoop(open -> open.fail(StreamError.SOURCE_FAILED.code(), UserCode.text(reason)));
    }

    private Mono<Void> onLoop(Consumer<OutStream> how) {
        return Mono.create(sink -> {
            EndRequest wanted = new EndRequest(how, sink);
            sink.onCancel(() -> withdraw(wanted));
            try {
                loop().execute(() -> {
                    String gone = context.end().gone();
                    if (gone != null) {
                        sink.error(new NetioAbortedException(gone, 0, null));
                    } else {
                        context.end().whenClosed(sink);
                        end(wanted);
                    }
                });
            } catch (RejectedExecutionException e) {
                sink.error(new NetioAbortedException("the event loop has terminated", 0, e));
            }
        });
    }

    /** Forgets an end that waits for the peer to subscribe or to know it, because nobody wants it any more. */
    private void withdraw(EndRequest wanted) {
        try {
            loop().execute(() -> {
                wanted.withdrawn = true;
                waitingEnds.remove(wanted);
            });
        } catch (RejectedExecutionException terminated) {
            // nobody will subscribe any more
        }
    }

    // ---- on the loop

    @Override
    public void leave(MessageSender<?> sender) {
        confirming.remove(sender);
        leave();
    }

    /** Notes that a user of the port has left. */
    void leave() {
        streams.leave(this);
    }

    private void end(EndRequest wanted) {
        OutStream open = stream != null ? stream : ending;
        if (open == null) {
            waitingEnds.add(wanted);
        } else {
            open.whenKnown(wanted);
            wanted.how.accept(open);
        }
    }

    @Override
    public void add(MessageSender<?> sender) {
        OutStream open = stream;
        String gone = context.end().gone();
        if (gone != null) {
            refuse(() -> sender.end(gone, null));
        } else if (open == null) {
            waiting.add(sender);
            changed(sender); // it may have ended without a message
        } else if (open.isCancelled()) {
            refuse(() -> sender.end("the peer wants no more of " + open, null));
        } else if (open.isEnding()) {
            refuse(() -> sender.fail(new IllegalStateException(open + " has ended: nothing more can be sent on it")));
        } else {
            open.add(sender);
        }
    }

    /**
     * Refuses a send at the end of the turn. A subscriber that sends again at once, for ever, must not keep the loop from what
     * else it has to do.
     */
    private void refuse(Runnable telling) {
        loop().atEndOfTurn(telling);
    }

    @Override
    public void changed(MessageSender<?> sender) {
        OutStream open = stream;
        if (open != null) {
            open.changed(sender);
        } else if (sender.isDrained() && waiting.remove(sender)) {
            sender.drained();
        }
    }

    boolean isOpen() {
        return stream != null;
    }

    /** Whether somebody waits for the peer to know that its last stream has ended. */
    boolean isEnding() {
        return ending != null;
    }

    /** Whether somebody waits here for the peer to subscribe. */
    boolean hasWaiting() {
        return !waiting.isEmpty() || !waitingEnds.isEmpty();
    }

    /** The stream that the peer has subscribed to; null if it has not. */
    @Nullable OutStream stream() {
        return stream;
    }

    /** Opens the port with the stream that the peer has subscribed to. */
    void open(OutStream opened) {
        stream = opened;
        MessageSender<?> sender;
        while ((sender = waiting.poll()) != null) {
            opened.add(sender);
        }
        List<EndRequest> ends = List.copyOf(waitingEnds);
        waitingEnds.clear();
        ends.forEach(this::end);
    }

    /** Closes the port, whose stream {@code ended} has ended; the next subscription opens it again. */
    void closed(OutStream ended) {
        if (stream == ended && ended.id() != 0) {
            stream = null;
            if (ended.isAwaited()) {
                ending = ended;
                ended.whenKnown(new LastStream(ended));
            }
        }
    }

    @Override
    public void awaits(MessageSender<?> sender) {
        confirming.add(sender);
    }

    /** Ends every send, because the connection is over. */
    void close(String what, @Nullable Throwable cause) {
        OutStream open = stream;
        if (open != null) {
            open.close(what, cause);
        }
        MessageSender<?> sender;
        while ((sender = waiting.poll()) != null) {
            sender.end(what, cause);
        }
        List.copyOf(confirming).forEach(left -> left.end(what, cause));
        confirming.clear();
    }
}
