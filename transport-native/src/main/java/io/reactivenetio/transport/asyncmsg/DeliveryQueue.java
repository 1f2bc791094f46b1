// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.ffm.Sockets;
import io.reactivenetio.transport.base.SendOperation;

/**
 * The messages of one connection that are written and have to be acknowledged by the peer's kernel before they count as
 * delivered: in order, each with its last byte's place in the stream. Confined to the loop.
 */
final class DeliveryQueue {
    private final TcpEndpoint endpoint;
    private final DeliveryWatch watch;
    private final SendOperation[] messages;
    private final long[] ends;
    private int head;
    private int size;
    private long written;
    private boolean fresh;
    private boolean watched;
    private boolean closed;

    DeliveryQueue(TcpEndpoint endpoint, DeliveryWatch watch, int most) {
        this.endpoint = endpoint;
        this.watch = watch;
        this.messages = new SendOperation[Math.max(1, most)];
        this.ends = new long[messages.length];
    }

    /** The kernel has taken {@code bytes} more bytes. */
    void written(long bytes) {
        written += bytes;
    }

    /** {@code message} ended {@code before} bytes before what is written by now. */
    void add(SendOperation message, long before) {
        int index = (int) (((long) head + size) % messages.length);
        messages[index] = message;
        ends[index] = written - before;
        size++;
        fresh = true;
    }

    /** Tells what has been acknowledged; for the rest, asks to be called again. True if there was anything. */
    boolean check() {
        if (size == 0 || closed) {
            return false;
        }
        int unacknowledged = Sockets.unacknowledged(endpoint.fd());
        long acknowledged = unacknowledged < 0 ? 0 : written - unacknowledged;
        boolean any = false;
        while (size > 0 && ends[head] - acknowledged <= 0) {
            SendOperation message = messages[head];
            head = head + 1 == messages.length ? 0 : head + 1;
            size--;
            any = true;
            endpoint.sent(message);
        }
        if (size > 0) {
            watch.add(this, fresh || any);
        }
        fresh = false;
        return any;
    }

    /** Checks when the watch says so, and ends the batch of what was sent. */
    void checkLater() {
        if (check()) {
            endpoint.batchSent();
        }
    }

    /** Whether the watch has it. */
    boolean isWatched() {
        return watched;
    }

    void watched(boolean value) {
        watched = value;
    }

    void close() {
        check();
        closed = true;
    }
}
