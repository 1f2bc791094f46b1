// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.pubsub.SequencedEvent;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Events with their times, from one thread at a time to the recorder's. It grows with what is in it: demand is its bound. */
final class EventQueue {
    private static final int CHUNK = 64;
    private static final VarHandle OFFERED;

    static {
        try {
            OFFERED = MethodHandles.lookup().findVarHandle(EventQueue.class, "offered", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final class Chunk {
        private final @Nullable SequencedEvent[] events = new @Nullable SequencedEvent[CHUNK];
        private final long[] times = new long[CHUNK];
        private @Nullable Chunk next;
    }

    private Chunk tail = new Chunk();
    private Chunk head = tail;
    private long offered;
    private long taken;
    private long takenTime;

    /** Adds an event. On the producer's thread. */
    void offer(SequencedEvent event, long time) {
        int at = (int) (offered % CHUNK);
        if (at == 0 && offered > 0) {
            Chunk next = new Chunk();
            tail.next = next;
            tail = next;
        }
        tail.events[at] = event;
        tail.times[at] = time;
        OFFERED.setRelease(this, offered + 1);
    }

    /** How many events have been added. Any thread. */
    long offered() {
        return (long) OFFERED.getAcquire(this);
    }

    /** How many events were taken. On the consumer's thread, as what follows. */
    long taken() {
        return taken;
    }

    int size() {
        return (int) (offered() - taken);
    }

    /** Takes the next event, which must be there. */
    SequencedEvent take() {
        int at = (int) (taken % CHUNK);
        if (at == 0 && taken > 0) {
            head = Objects.requireNonNull(head.next);
        }
        SequencedEvent event = Objects.requireNonNull(head.events[at]);
        head.events[at] = null;
        takenTime = head.times[at];
        taken++;
        return event;
    }

    /** The time of the event that was taken last. */
    long takenTime() {
        return takenTime;
    }
}
