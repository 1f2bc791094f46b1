// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.Endpoint;
import org.jspecify.annotations.Nullable;

/** Sends as fast as buffers come back. */
final class StreamSender extends Role {
    private long sent;
    private long until;
    private boolean lastSent;
    private boolean over;

    StreamSender(Work work) {
        super(work);
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
        meter.begin();
        until = System.nanoTime() + (work.warmupMillis() + work.millis()) * 1_000_000;
        pump(endpoint);
    }

    @Override
    public void onResourcesAvailable(Endpoint endpoint) {
        pump(endpoint);
    }

    private void pump(Endpoint endpoint) {
        while (!lastSent) {
            if (sent % Meter.CLOCK_EVERY == 0 && meter.clock(sent) - until >= 0) {
                meter.end();
                lastSent = send(endpoint, LAST);
                return;
            }
            if (!send(endpoint, sent)) {
                return;
            }
            sent++;
        }
    }

    @Override
    void arrived(Endpoint endpoint, long number) {
        over = true;
        close(endpoint);
    }

    @Override
    @Nullable Outcome outcome() {
        return over ? meter.outcome(sent) : null;
    }
}
