// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import io.reactivenetio.wire.ProtocolException;
import io.reactivenetio.wire.Reassembly;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The streams that this side receives, by their numbers. This side chooses the numbers: small ones, which are used again. On the
 * loop, unless said otherwise.
 */
final class InStreams {
    private final ReceiveContext context;
    private final Reassembly reassembly;
    private final SessionEnd end;
    private final int most;
    private final InStream first;
    private final Deque<Integer> free = new ArrayDeque<>();
    private @Nullable InStream[] streams = new @Nullable InStream[8];
    private int used = 1;
    /** Streams that wait for the number of a cancelled stream, whose end has not arrived. */
    private final Deque<InStream> waiting = new ArrayDeque<>();

    /**
     * A table of {@code most} streams at a time besides stream 0, which is open from the beginning and asks ahead as {@code
     * ahead} says.
     */
    InStreams(ReceiveContext context, Reassembly reassembly, SessionEnd end, int most, Prefetch ahead) {
        this.context = context;
        this.reassembly = reassembly;
        this.end = end;
        this.most = most;
        first = new InStream(context, this, Right.SEND, null, null, ahead, SubscriptionListener.NONE);
        first.open(0, reassembly.of(0));
        streams[0] = first;
    }

    /** The messages of stream 0. Any thread. */
    Inbound first() {
        return first.inbound();
    }

    /** The messages of a new stream, which is opened when they are subscribed to. Any thread. */
    Inbound inbound(Right needed, Tags tags, @Nullable SlowPolicy policy, Prefetch ahead, SubscriptionListener listener) {
        return new InStream(context, this, needed, tags, policy, ahead, listener).inbound();
    }

    /**
     * Opens a stream: now, or when the end of a cancelled stream arrives, whose number it needs. Returns the reason if it cannot
     * be opened, or else null.
     */
    @Nullable NetioException enter(InStream stream) {
        String gone = end.gone();
        if (gone != null) {
            return Connection.aborted(null, gone);
        }
        int id = add(stream);
        if (id < 0) {
            return await(stream) ? null : new NetioStreamException("the peer allows " + most
                    + " streams at a time, and so many are open", StreamError.LIMIT.code());
        }
        stream.open(id, reassembly.of(id));
        return null;
    }

    /** Enters a stream. Returns its number, or -1 if there are too many. */
    private int add(InStream stream) {
        Integer again = free.poll();
        if (again == null && used > most) {
            return -1;
        }
        int id = again != null ? again : used++;
        if (id == streams.length) {
            streams = Arrays.copyOf(streams, 2 * id);
        }
        streams[id] = stream;
        return id;
    }

    /** Has a stream wait for a number if enough streams are cancelled. Returns false if not. */
    private boolean await(InStream stream) {
        long ending = Arrays.stream(streams, 1, used).filter(open -> open != null && open.isCancelled()).count();
        return ending > waiting.size() && waiting.add(stream);
    }

    /** Removes a stream that is over, whose number is free for the next. */
    void leave(InStream stream) {
        remove(stream);
        InStream next = end.gone() == null && !free.isEmpty() ? waiting.poll() : null;
        if (next != null) {
            enter(next);
        }
    }

    private void remove(InStream stream) {
        int id = stream.id();
        if (id == 0) {
            waiting.remove(stream);
        } else if (streams[id] == stream) {
            streams[id] = null;
            free.add(id);
        }
    }

    /** Whether the peer has begun to send on a stream besides stream 0 that is not over. */
    boolean areInUse() {
        return Arrays.stream(streams, 1, used).anyMatch(stream -> stream != null && stream.isInUse());
    }

    /**
     * The open stream of this number.
     *
     * @throws ProtocolException if there is none, for which the peer has sent {@code what}
     */
    InStream require(int id, String what) throws ProtocolException {
        InStream stream = id >= 0 && id < streams.length ? streams[id] : null;
        if (stream == null || stream.isOver()) {
            throw new ProtocolException(what + " for stream " + Integer.toUnsignedString(id) + ", which is not open");
        }
        return stream;
    }

    void forEach(Consumer<InStream> action) {
        for (InStream stream : streams.clone()) {
            if (stream != null) {
                action.accept(stream);
            }
        }
        List.copyOf(waiting).forEach(action);
    }

    /** Ends every stream, because the connection is over, each with an error of its own. */
    void close(@Nullable NetioException reason, String why) {
        forEach(stream -> end.tell(() -> stream.end(Connection.aborted(reason, why))));
    }
}
