// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.send.SendMono;
import io.reactivenetio.send.page.DeliveryListener;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.StreamError;
import io.reactivenetio.wire.ProtocolException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * The streams that the peer receives, by the numbers that the peer gives them, and the ports where sends for them come in. On the
 * loop, unless said otherwise.
 */
final class OutStreams {
    private final SendContext context;
    private final int most;
    private final OutStream zero;
    private final SendPort first;
    private final Map<Integer, OutStream> streams = new HashMap<>();
    /** The ports by tag; any thread. A port exists as long as its stream is open, or somebody here sends to it or ends it. */
    private final Map<Long, SendPort> ports = new ConcurrentHashMap<>();
    private final Map<Long, TagService> services = new HashMap<>();
    /** Streams that are not for sends, because the peer may only ask or answer requests, and that have no service yet. */
    private final Map<Long, OutStream> unserved = new HashMap<>();
    private @Nullable TagService service;

    /** A table of {@code most} streams at a time besides stream 0. */
    OutStreams(SendContext context, int most) {
        this.context = context;
        this.most = most;
        zero = new OutStream(context, 0, null, this::remove);
        first = new SendPort(context, this, 0);
        first.open(zero);
    }

    /** The port of stream 0. Any thread. */
    SendPort first() {
        return first;
    }

    /** The port of {@code tag}, which the caller uses from now on and has to {@link #leave}. Any thread. */
    private SendPort port(long tag) {
        return Objects.requireNonNull(ports.compute(tag, (key, known) -> {
            SendPort port = known != null ? known : new SendPort(context, this, tag);
            port.use();
            return port;
        }));
    }

    /** The Mono of a send with this tag. Any thread. */
    <T> Mono<Void> send(long tag, Publisher<? extends T> messages, SendCompletion level,
            MessageFields<? super T> packing) {
        return new SendMono<T>(messages, actual -> port(tag).sender(actual, level, packing));
    }

    /** The Mono that completes the stream of this tag. Any thread. */
    Mono<Void> complete(long tag) {
        return Mono.defer(() -> {
            SendPort port = port(tag);
            return port.complete().doFinally(signal -> leaveLater(port));
        });
    }

    private void leaveLater(SendPort port) {
        try {
            port.loop().execute(port::leave);
        } catch (RejectedExecutionException terminated) {
            // the port ends with the connection
        }
    }

    /** Notes that a user of the port has left. On the loop. */
    void leave(SendPort left) {
        ports.computeIfPresent(left.tag(), (tag, port) -> {
            if (port == left) {
                port.unuse();
            }
            return isWanted(port) ? port : null;
        });
    }

    /** Called when the peer knows the end of the port's last stream. On the loop. */
    void ended(SendPort ended) {
        ports.computeIfPresent(ended.tag(), (tag, port) -> isWanted(port) ? port : null);
    }

    private static boolean isWanted(SendPort port) {
        return port.isUsed() || port.isOpen() || port.isEnding() || port.hasWaiting();
    }

    /** How many tags have a port. Any thread. */
    int ports() {
        return ports.size();
    }

    void serve(TagService tags) {
        service = tags;
    }

    /** Has {@code requests} serve one tag, even if the peer has subscribed to it already and nobody sends there. */
    void serve(long tag, TagService requests) {
        TagService before = services.putIfAbsent(tag, requests);
        if (before instanceof FormerService former && former.follow(requests)) {
            return; // the former service still waits for a late subscription
        }
        if (before != null) {
            throw new IllegalStateException("tag " + Long.toUnsignedString(tag) + " has a requester or responder here already");
        }
        OutStream waiting = unserved.remove(tag);
        if (waiting != null) {
            serve(waiting, requests, Tags.of(tag), null);
        }
        ports.computeIfPresent(tag, (key, port) -> {
            OutStream open = port.stream();
            if (open == null || port.isUsed()) {
                return port;
            }
            serve(open, requests, Tags.of(tag), null);
            return null;
        });
    }

    void unserve(long tag, TagService requests) {
        replace(tag, requests, null);
    }

    /** Puts {@code by}, or nothing, in the place of a service of the tag. Returns false if it is none. */
    private boolean replace(long tag, TagService service, @Nullable TagService by) {
        TagService first = services.get(tag);
        if (first != service) {
            return first instanceof FormerService former && former.replace(service, by);
        }
        if (by == null) {
            services.remove(tag);
        } else {
            services.put(tag, by);
        }
        return true;
    }

    /**
     * Ends a service that nobody has subscribed to. A subscription that the peer has sent before it hears of this is completed.
     */
    void unserveUnknown(long tag, TagService requests) {
        FormerService former = new FormerService(requests.right());
        if (replace(tag, requests, former)) {
            context.pings().awaitQueued(new FormerServiceEnd(tag, former));
        }
    }

    /** Passes the tag on when the peer knows that its former service has ended. */
    private final class FormerServiceEnd implements DeliveryListener {
        private final long tag;
        private final FormerService former;

        FormerServiceEnd(long tag, FormerService former) {
            this.tag = tag;
            this.former = former;
        }

        @Override
        public void delivered() {
            pass(tag, former);
        }

        @Override
        public boolean isAwaited() {
            return !former.isOver();
        }
    }

    private void pass(long tag, FormerService former) {
        if (!former.isOver()) {
            former.end();
            replace(tag, former, former.successor());
        }
    }

    private @Nullable TagService service(Tags tags) {
        TagService own = tags.isOne() ? services.get(tags.first()) : null;
        return own != null ? own : service;
    }

    void subscribe(int id, Tags tags, @Nullable SlowPolicy policy) throws ProtocolException {
        OutStream stream = new OutStream(context, id, tags, this::remove);
        if (streams.containsKey(id)) {
            throw new ProtocolException("SUBSCRIBE of stream " + Integer.toUnsignedString(id) + ", which is open");
        }
        if (streams.size() >= most) { // answering each of them would take memory without bound
            throw new ProtocolException("SUBSCRIBE of stream " + Integer.toUnsignedString(id) + ", and " + most
                    + " streams are open, which is all that the handshake allowed");
        }
        streams.put(id, stream);
        TagService serving = service(tags);
        if (serving instanceof FormerService former) {
            pass(tags.first(), former);
        }
        if (!serve(stream, serving, tags, policy)) {
            send(stream, tags);
        }
    }

    /** Has {@code tags} serve the stream. Returns false if that has none of these tags. */
    private boolean serve(OutStream stream, @Nullable TagService by, Tags tags, @Nullable SlowPolicy policy) {
        if (by == null) {
            return false;
        }
        if (!context.connection().mayPeer(by.right(), tags)) {
            forbid(stream, by.right(), tags);
            return true;
        }
        try {
            StreamSource source = by.serve(tags, policy);
            if (source == null) {
                return false;
            }
            stream.serve(source);
        } catch (Throwable t) { // thrown by the user's code
            stream.fail(StreamError.SOURCE_FAILED.code(), UserCode.text(t));
        }
        return true;
    }

    private static void forbid(OutStream stream, Right right, Tags tags) {
        stream.fail(StreamError.FORBIDDEN.code(), "no right to " + right + " " + tags);
    }

    /** Opens the stream for the sends with this tag, or refuses it. */
    private void send(OutStream stream, Tags tags) {
        boolean exact = tags.isOne();
        if (!context.connection().mayPeer(Right.SUBSCRIBE, tags)) {
            awaitService(stream, tags);
        } else if (service != null && !(exact && ports.containsKey(tags.first()))) {
            stream.fail(StreamError.NOT_SERVED.code(), exact ? "nobody serves tag " + Long.toUnsignedString(tags.first())
                    : "nobody serves any of these tags, or only to subscriptions to a single one");
        } else if (!exact) {
            stream.fail(StreamError.NOT_SERVED.code(), "only single tags are served here");
        } else {
            SendPort port = ports.computeIfAbsent(tags.first(), key -> new SendPort(context, this, key));
            if (port.isOpen()) {
                stream.fail(StreamError.LIMIT.code(), "the connection is subscribed to tag " + Long.toUnsignedString(tags.first())
                        + " already");
            } else {
                port.open(stream);
                limitWaiting(port::isUsed, stream, tags.first());
            }
        }
    }

    /** Keeps a stream that nothing may be sent to for a requester or responder that may come; or refuses it. */
    private void awaitService(OutStream stream, Tags tags) {
        Connection connection = context.connection();
        boolean waits = service == null && tags.isOne() && !unserved.containsKey(tags.first())
                && (connection.mayPeer(Right.REQUEST, tags) || connection.mayPeer(Right.RESPOND, tags));
        if (waits) {
            unserved.put(tags.first(), stream);
            limitWaiting(() -> !unserved.containsValue(stream), stream, tags.first());
        } else {
            forbid(stream, Right.SUBSCRIBE, tags);
        }
    }

    /** Refuses the stream if nobody sends on it or serves it in time: the peer would wait for ever, without a word. */
    private void limitWaiting(BooleanSupplier isServed, OutStream stream, long tag) {
        long limit = context.serveNanos();
        if (limit == Long.MAX_VALUE || isServed.getAsBoolean()) {
            return;
        }
        if (limit == 0) {
            refuse(stream, "nobody serves tag " + Long.toUnsignedString(tag));
            return;
        }
        try {
            stream.limitWaiting(context.connection().loop().schedule(() -> {
                if (!isServed.getAsBoolean()) {
                    refuse(stream, "nobody serves tag " + Long.toUnsignedString(tag) + ": for "
                            + Duration.ofNanos(limit).toMillis() + " ms there was no send to its stream, no publisher and nobody"
                            + " who answers or asks requests");
                }
            }, limit, TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException terminating) {
            // the connection ends before
        }
    }

    /** Refuses a stream that nobody has used. Whoever comes in the same turn waits for the next one, as later ones do. */
    private void refuse(OutStream stream, String why) {
        letGo(stream);
        stream.fail(StreamError.NOT_SERVED.code(), why);
    }

    void request(int id, long n) {
        OutStream stream = find(id);
        if (stream != null) {
            stream.request(n);
        }
    }

    void cancel(int id) {
        OutStream stream = find(id);
        if (stream != null) {
            letGo(stream);
            stream.cancel();
        }
    }

    /** The open stream of this number. It is null if the end of the stream has crossed what the peer says of it. */
    private @Nullable OutStream find(int id) {
        return id == 0 ? zero : streams.get(id);
    }

    private void remove(OutStream stream) {
        if (streams.remove(stream.id(), stream)) {
            letGo(stream);
        }
    }

    /** Frees the tag of the stream for the next subscription, which may come before the end of this stream has left. */
    private void letGo(OutStream stream) {
        Tags tags = stream.tags();
        if (tags != null && !unserved.remove(tags.first(), stream)) {
            ports.computeIfPresent(tags.first(), (tag, port) -> {
                port.closed(stream);
                return isWanted(port) ? port : null;
            });
        }
    }

    /** Whether the peer is subscribed to something, and to nothing that has an end of its own. */
    boolean areEndless() {
        return !streams.isEmpty() && streams.values().stream().allMatch(OutStream::isEndless) && zero.isEndless()
                && ports.values().stream().noneMatch(SendPort::hasWaiting);
    }

    /** Has the sources tell the peer what they have not sent, because this side closes the connection. */
    void cut() {
        List.copyOf(streams.values()).forEach(OutStream::cut);
    }

    void close(String what, @Nullable Throwable cause) {
        first.close(what, cause);
        ports.values().forEach(port -> port.close(what, cause));
        List.copyOf(streams.values()).forEach(stream -> stream.close(what, cause));
        streams.clear();
    }
}
