// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.transport.backend.Endpoint;
import org.jspecify.annotations.Nullable;

/** Receives a stream and measures it. */
final class StreamReceiver extends Role {
    private long received;
    private boolean over;

    StreamReceiver(Work work) {
        super(work);
    }

    @Override
    void arrived(Endpoint endpoint, long number) {
        if (number == LAST) {
            meter.end();
            over = true;
            send(endpoint, LAST);
            return;
        }
        expect(number, received++);
        if (received % Meter.CLOCK_EVERY == 1) {
            if (received == 1) {
                meter.begin();
            }
            meter.clock(received);
        }
    }

    @Override
    @Nullable Outcome outcome() {
        return over ? meter.outcome(received) : null;
    }
}
