// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.request.RequestEnd;
import io.reactivenetio.request.RequestObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a recorder of the requests of one side of a connection, on the threads on which they begin and end. */
record RequestRecording(MetricsRecorder recorder, NetioConnection connection, RequestSide side) implements RequestObserver {
    private static final Logger LOG = LoggerFactory.getLogger(NetioMetrics.class);

    @Override
    public void begun() {
        try {
            recorder.requestBegun(connection, side);
        } catch (Throwable e) { // the user's; the request goes on
            hasFailed(e);
        }
    }

    @Override
    public void ended(RequestEnd end, long nanos) {
        try {
            recorder.requestEnded(connection, side, RequestOutcome.of(end), nanos);
        } catch (Throwable e) {
            hasFailed(e);
        }
    }

    private void hasFailed(Throwable e) {
        UserCode.warn(LOG, "a recorder of " + connection + " has failed", e);
    }
}
