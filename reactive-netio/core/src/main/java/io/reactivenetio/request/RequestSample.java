// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.MetricsRecorder;
import io.reactivenetio.api.RequestOutcome;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One request, from its beginning to its end, for those who observe it. Whoever works on the request owns it. Any thread. */
final class RequestSample {
    /** The sample of all requests that nobody observes. */
    static final RequestSample UNOBSERVED = new RequestSample(null, List.of());

    private final @Nullable RequestObservers observers;
    private final List<MetricsRecorder> told;
    private final AtomicBoolean ended = new AtomicBoolean();
    private long beganNanos;

    RequestSample(@Nullable RequestObservers observers, List<MetricsRecorder> told) {
        this.observers = observers;
        this.told = told;
    }

    void begin() {
        beganNanos = System.nanoTime();
        if (observers != null) {
            observers.begun(told);
        }
    }

    /** The request has ended. The first call counts: a cancel may meet the answer. */
    void end(RequestOutcome end) {
        if (observers != null && !ended.getAndSet(true)) {
            observers.ended(told, end, System.nanoTime() - beganNanos);
        }
    }
}
