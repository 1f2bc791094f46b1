// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** The recorders of one connection, which are told of its requests. Without recorders nobody looks at a clock. Any thread. */
final class Recorders {
    private static final Logger LOG = LoggerFactory.getLogger(NetioMetrics.class);

    private final NetioConnection connection;
    private volatile List<MetricsRecorder> all = List.of();
    private final Timing untold = new Timing(RequestSide.REQUESTER, List.of());

    Recorders(NetioConnection connection) {
        this.connection = connection;
    }

    /** Adds a recorder, once. */
    synchronized void add(MetricsRecorder recorder) {
        if (!all.contains(recorder)) {
            all = Stream.concat(all.stream(), Stream.of(recorder)).toList();
        }
    }

    /** A request begins. Those who are told so are told its end, too. */
    Timing begin(RequestSide side) {
        List<MetricsRecorder> told = all;
        if (told.isEmpty()) {
            return untold;
        }
        Timing timing = new Timing(side, told);
        timing.begin();
        return timing;
    }

    /** {@code request}, of a requester, each subscription of which is told. */
    Mono<ByteBuffer> timed(Mono<ByteBuffer> request) {
        return Mono.defer(() -> {
            Timing timing = begin(RequestSide.REQUESTER);
            return timing == untold ? request : request.doOnSuccess(answer -> timing.end(RequestOutcome.ANSWERED))
                    .doOnError(error -> timing.end(RequestOutcome.of(error)))
                    .doOnCancel(() -> timing.end(RequestOutcome.CANCELLED));
        });
    }

    /** One request, from its beginning to its end. */
    final class Timing {
        private final RequestSide side;
        private final List<MetricsRecorder> recorders;
        private final AtomicBoolean ended = new AtomicBoolean();
        private long beganNanos;

        private Timing(RequestSide side, List<MetricsRecorder> recorders) {
            this.side = side;
            this.recorders = recorders;
        }

        private void begin() {
            beganNanos = System.nanoTime();
            tell(recorder -> recorder.requestBegun(connection, side));
        }

        /** The request has ended. The first call counts: a cancel may meet the answer. */
        void end(RequestOutcome outcome) {
            if (!recorders.isEmpty() && !ended.getAndSet(true)) {
                long nanos = System.nanoTime() - beganNanos;
                tell(recorder -> recorder.requestEnded(connection, side, outcome, nanos));
            }
        }

        private void tell(Consumer<MetricsRecorder> what) {
            for (MetricsRecorder recorder : recorders) {
                try {
                    what.accept(recorder);
                } catch (RuntimeException e) { // the user's; the request goes on
                    LOG.warn("a recorder of {} has failed", connection, e);
                }
            }
        }
    }
}
