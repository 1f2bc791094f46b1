// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.MetricsRecorder;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.api.RequestSide;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The recorders of the requests of one side of a connection. They are called on the threads on which requests begin and end.
 * Without any, nobody looks at a clock. Any thread.
 */
public final class RequestObservers {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsRecorder.class);

    private final NetioConnection connection;
    private final RequestSide side;
    private volatile List<MetricsRecorder> all = List.of();

    public RequestObservers(NetioConnection connection, RequestSide side) {
        this.connection = connection;
        this.side = side;
    }

    /** Adds a recorder, once. */
    public synchronized void add(MetricsRecorder recorder) {
        if (!all.contains(recorder)) {
            all = Stream.concat(all.stream(), Stream.of(recorder)).toList();
        }
    }

    /** A request begins. Those who are told so are told its end, too. */
    RequestSample begin() {
        List<MetricsRecorder> told = all;
        if (told.isEmpty()) {
            return RequestSample.UNOBSERVED;
        }
        RequestSample sample = new RequestSample(this, told);
        sample.begin();
        return sample;
    }

    void begun(List<MetricsRecorder> told) {
        told.forEach(recorder -> tell(() -> recorder.requestBegun(connection, side)));
    }

    void ended(List<MetricsRecorder> told, RequestOutcome outcome, long nanos) {
        told.forEach(recorder -> tell(() -> recorder.requestEnded(connection, side, outcome, nanos)));
    }

    private void tell(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) { // the user's; the request goes on
            UserCode.warn(LOG, "a recorder of " + connection + " has failed", e);
        }
    }

    /** How a request has ended whose Mono fails with {@code error}. */
    private static RequestOutcome outcome(Throwable error) {
        if (error instanceof NetioStreamException ended) {
            return switch (ended.error()) {
                case NOT_SERVED, LIMIT -> RequestOutcome.REFUSED;
                case SHUT_DOWN -> RequestOutcome.LOST;
                default -> RequestOutcome.FAILED;
            };
        }
        if (error instanceof MessageTooLargeException || error instanceof IllegalStateException) { // with overflows
            return RequestOutcome.REFUSED;
        }
        if (error instanceof TimeoutException) { // the responder was the first to see that the deadline is over
            return RequestOutcome.CANCELLED;
        }
        return error instanceof NetioException && !(error instanceof NetioProtocolException) ? RequestOutcome.LOST
                : RequestOutcome.FAILED;
    }

    /** {@code request}, of a requester, each subscription of which is told. */
    public Mono<ByteBuffer> observed(Mono<ByteBuffer> request) {
        return Mono.defer(() -> {
            RequestSample sample = begin();
            return sample == RequestSample.UNOBSERVED ? request : request
                    .doOnSuccess(answer -> sample.end(RequestOutcome.ANSWERED))
                    .doOnError(error -> sample.end(outcome(error)))
                    .doOnCancel(() -> sample.end(RequestOutcome.CANCELLED));
        });
    }
}
