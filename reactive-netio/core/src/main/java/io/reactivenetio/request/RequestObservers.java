// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** Those who observe the requests of one side of a connection. Without any, nobody looks at a clock. Any thread. */
public final class RequestObservers {
    private volatile List<RequestObserver> all = List.of();

    /** Adds an observer, once. */
    public synchronized void add(RequestObserver observer) {
        if (!all.contains(observer)) {
            all = Stream.concat(all.stream(), Stream.of(observer)).toList();
        }
    }

    /** A request begins. Those who are told so are told its end, too. */
    RequestSample begin() {
        List<RequestObserver> told = all;
        if (told.isEmpty()) {
            return RequestSample.UNOBSERVED;
        }
        RequestSample sample = new RequestSample(told);
        sample.begin();
        return sample;
    }

    /** {@code request}, of a requester, each subscription of which is told. */
    public Mono<ByteBuffer> observed(Mono<ByteBuffer> request) {
        return Mono.defer(() -> {
            RequestSample sample = begin();
            return sample == RequestSample.UNOBSERVED ? request : request.doOnSuccess(answer -> sample.end(RequestEnd.ANSWERED))
                    .doOnError(error -> sample.end(RequestEnd.of(error)))
                    .doOnCancel(() -> sample.end(RequestEnd.CANCELLED));
        });
    }
}
