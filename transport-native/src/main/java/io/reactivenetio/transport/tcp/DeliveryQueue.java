// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.Sockets;
import io.reactivenetio.transport.base.send.SendOperation;

/**
 * The written messages of one connection that the peer's kernel has to acknowledge before they count as delivered. They are in
 * order, each with the position of its last byte in the stream. Confined to the loop.
 */
final class DeliveryQueue {
    private static final int NO_FD = -1;
    /** The longest first pause: so much later a send may end than it could, once, when the peer's data stop coming. */
    private static final long LONGEST_FIRST_PAUSE_MICROS = 1_000;

    /** The connection. */
    interface Owner {
        /** A message is over: its slot is the owner's again. */
        void sent(SendOperation message);

        /** A batch of messages is over. */
        void batchSent();
    }

    private final Owner owner;
    private final DeliveryPoller poller;
    private int fd = NO_FD;
    private final SendOperation[] messages;
    private final long[] ends;
    private int head;
    private int size;
    private long written;
    private boolean fresh;
    private boolean queued;
    private long firstPauseMicros = DeliveryPoller.SHORTEST_MICROS;
    private boolean closed;

    DeliveryQueue(Owner owner, DeliveryPoller poller, int most) {
        this.owner = owner;
        this.poller = poller;
        this.messages = new SendOperation[Math.max(1, most)];
        this.ends = new long[messages.length];
    }

    /** Before the first message is written to {@code socket}. */
    void start(int socket) {
        fd = socket;
    }

    /** The kernel has taken {@code bytes} more bytes. */
    void written(long bytes) {
        written += bytes;
    }

    /** Adds a message that ended {@code before} bytes before the last byte written. */
    void add(SendOperation message, long before) {
        int index = (int) (((long) head + size) % messages.length);
        messages[index] = message;
        ends[index] = written - before;
        size++;
        fresh = true;
    }

    /** Completes the acknowledged messages and has the poller call again for the rest. Returns whether one was acknowledged. */
    boolean check() {
        if (size == 0 || closed) {
            return false;
        }
        int unacknowledged = Sockets.unacknowledged(fd);
        long acknowledged = unacknowledged < 0 ? 0 : written - unacknowledged;
        boolean any = false;
        while (size > 0 && ends[head] - acknowledged <= 0) {
            SendOperation message = messages[head];
            head = head + 1 == messages.length ? 0 : head + 1;
            size--;
            any = true;
            owner.sent(message);
        }
        if (size > 0) {
            poller.add(this, fresh || any);
        }
        fresh = false;
        return any;
    }

    /** Checks, and ends the batch of completed sends if there are any. Returns whether there were. */
    private boolean checkAndEndBatch() {
        boolean any = check();
        if (any) {
            owner.batchSent();
        }
        return any;
    }

    /** Checks, because the poller's pause is over. */
    void polled() {
        if (checkAndEndBatch()) {
            firstPauseMicros = DeliveryPoller.SHORTEST_MICROS;
        }
    }

    /** Checks, because data has arrived: acknowledgements come with it. */
    void dataArrived() {
        if (checkAndEndBatch()) {
            firstPauseMicros = Math.min(2 * firstPauseMicros, LONGEST_FIRST_PAUSE_MICROS);
        }
    }

    /** How long the first pause of the poller may be. */
    long firstPauseMicros() {
        return firstPauseMicros;
    }

    /** Whether the poller has it in its list. */
    boolean isQueued() {
        return queued;
    }

    void queued(boolean value) {
        queued = value;
    }

    void close() {
        check();
        closed = true;
    }
}
