// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.Endpoint;
import org.jspecify.annotations.Nullable;

/** Sends every message back. */
final class Echo extends Role {
    private long received;
    private boolean over;

    Echo(Work work) {
        super(work);
    }

    @Override
    void arrived(Endpoint endpoint, long number) {
        if (number == LAST) {
            meter.end();
            over = true;
        } else {
            expect(number, received++);
            if (received % Meter.CLOCK_EVERY == 1) {
                meter.clock(received);
            }
        }
        if (!send(endpoint, number)) {
            throw new IllegalStateException("no room to send one message back");
        }
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
        meter.begin();
    }

    @Override
    @Nullable Outcome outcome() {
        return over ? meter.outcome(received) : null;
    }
}
