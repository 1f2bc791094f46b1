// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.wire.ProtocolException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The streams that this side receives, by their numbers, which it gives them itself: small ones, used again. On the loop. */
final class InStreams {
    private final int most;
    private final Deque<Integer> free = new ArrayDeque<>();
    private @Nullable InStream[] streams = new @Nullable InStream[8];
    private int used = 1;
    /** For the number of a stream that is cancelled, and whose end has not arrived. */
    private final Deque<InStream> waiting = new ArrayDeque<>();

    /** {@code most} at a time besides stream 0. */
    InStreams(int most) {
        this.most = most;
    }

    void openFirst(InStream stream) {
        streams[0] = stream;
    }

    /** Its number, or -1 if there are too many. */
    int add(InStream stream) {
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

    /** Waits for a number, if there are enough streams whose end is as good as here; false if not. */
    boolean await(InStream stream) {
        long ending = Arrays.stream(streams, 1, used).filter(open -> open != null && open.isCancelled()).count();
        return ending > waiting.size() && waiting.add(stream);
    }

    void remove(InStream stream) {
        int id = stream.id();
        if (id == 0) {
            waiting.remove(stream);
        } else if (streams[id] == stream) {
            streams[id] = null;
            free.add(id);
        }
    }

    /** Whether there is none beside stream 0. */
    boolean isEmpty() {
        return used - 1 == free.size();
    }

    /** The next that there is a number for now; null if nobody waits for one. */
    @Nullable InStream next() {
        return free.isEmpty() ? null : waiting.poll();
    }

    /** The open stream of this number. */
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
}
