// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** One request, from its beginning to its end, for those who observe it. Whoever works on the request owns it. Any thread. */
final class RequestSample {
    /** Of all requests that nobody observes. */
    static final RequestSample UNOBSERVED = new RequestSample(List.of());

    private final List<RequestObserver> observers;
    private final AtomicBoolean ended = new AtomicBoolean();
    private long beganNanos;

    RequestSample(List<RequestObserver> observers) {
        this.observers = observers;
    }

    void begin() {
        beganNanos = System.nanoTime();
        for (RequestObserver observer : observers) {
            observer.begun();
        }
    }

    /** The request has ended. The first call counts: a cancel may meet the answer. */
    void end(RequestEnd end) {
        if (!observers.isEmpty() && !ended.getAndSet(true)) {
            long nanos = System.nanoTime() - beganNanos;
            for (RequestObserver observer : observers) {
                observer.ended(end, nanos);
            }
        }
    }
}
