// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.Endpoint;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Sends a message, waits for it to come back, and notes how long that took. */
final class RoundTrips extends Role {
    private static final long LONGEST = 10_000_000_000L;

    private final Histogram nanos = new Histogram(1, LONGEST, 3);
    private long sent;
    private long received;
    private long sentAt;
    private long until;
    private boolean over;

    RoundTrips(Work work) {
        super(work);
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
        meter.begin();
        sentAt = System.nanoTime();
        until = sentAt + (work.warmupMillis() + work.millis()) * 1_000_000;
        next(endpoint, sent++);
    }

    private void next(Endpoint endpoint, long number) {
        if (!send(endpoint, number)) {
            throw new IllegalStateException("no room to send one message");
        }
    }

    @Override
    void arrived(Endpoint endpoint, long number) {
        if (number == LAST) {
            over = true;
            close(endpoint);
            return;
        }
        expect(number, received++);
        boolean measured = meter.isMeasuring();
        long now = meter.clock(received);
        if (measured) {
            nanos.recordValue(Math.min(now - sentAt, LONGEST));
        }
        sentAt = now;
        if (now - until >= 0) {
            meter.end();
            next(endpoint, LAST);
        } else {
            next(endpoint, sent++);
        }
    }

    @Override
    @Nullable Outcome outcome() {
        return over ? meter.outcome(sent, nanos) : null;
    }
}
