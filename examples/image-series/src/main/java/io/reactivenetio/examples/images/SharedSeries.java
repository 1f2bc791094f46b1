// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.images;

import io.reactivenetio.examples.images.SeriesMessage.End;
import io.reactivenetio.examples.images.SeriesMessage.Image;
import io.reactivenetio.examples.images.SeriesMessage.Start;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Shares one series after the other among workers. Demand decides: an image goes to the worker whose turn it is among those that
 * have asked for more, and to no other. The beginning and the end of a series go to all. A worker that comes during a series is
 * told of its beginning first. The detector is asked for as many images as the workers have asked for, so that nothing waits here
 * but one image.
 *
 * <p>All methods may be called by any thread. Messages are handed on under the lock of this object, so a worker's subscriber must
 * not wait in {@code onNext}; that of {@code send} does not.
 */
final class SharedSeries {
    private final List<Worker> workers = new ArrayList<>();
    private final Sinks.Many<Integer> counts = Sinks.many().replay().latestOrDefault(0);
    private @Nullable Running running;
    private int turn;

    /** A worker's stream, and how much it has asked for that it has not got. */
    private static final class Worker {
        private final FluxSink<ByteBuffer> sink;
        private long demand;

        Worker(FluxSink<ByteBuffer> sink) {
            this.sink = sink;
        }

        void send(ByteBuffer message) {
            demand -= demand == Long.MAX_VALUE ? 0 : 1; // below zero, if the end of a series was not asked for
            sink.next(message.duplicate());
        }
    }

    /** The messages for one worker, series by series, until {@link #close()} or a cancel. */
    Flux<ByteBuffer> worker() {
        return Flux.create(this::join, FluxSink.OverflowStrategy.BUFFER);
    }

    /** Completes when there are so many workers. */
    Mono<Void> workers(int number) {
        return counts.asFlux().filter(count -> count >= number).next().then();
    }

    private void join(FluxSink<ByteBuffer> sink) {
        Worker worker = new Worker(sink);
        sink.onDispose(() -> leave(worker));
        synchronized (this) {
            workers.add(worker);
            if (running != null) {
                worker.send(SeriesCodec.encode(running.start));
            }
        }
        sink.onRequest(n -> ask(worker, n));
        count();
    }

    private synchronized void leave(Worker worker) {
        workers.remove(worker);
        count();
    }

    private synchronized void count() {
        counts.tryEmitNext(workers.size());
    }

    private synchronized void ask(Worker worker, long n) {
        worker.demand = worker.demand > Long.MAX_VALUE - n ? Long.MAX_VALUE : worker.demand + n;
        if (running != null) {
            running.goOn();
        }
    }

    /**
     * Runs a series. It is aborted by {@link #abort()}, by a cancel, and by an error of {@code images}; the workers get its end
     * all the same.
     *
     * @return how many images were handed out, once all have been, or the series was aborted
     */
    Mono<Integer> run(Start start, Flux<Image> images) {
        return Mono.defer(() -> {
            Running series = new Running(start);
            synchronized (this) {
                if (running != null) {
                    return Mono.error(new IllegalStateException("series " + running.start.series() + " has not ended"));
                }
                running = series;
                tellAll(start);
            }
            images.map(series::encode).subscribeOn(Schedulers.boundedElastic()).subscribe(series); // not on a loop
            return series.result.asMono().doOnCancel(series::end);
        });
    }

    private void tellAll(SeriesMessage message) {
        ByteBuffer encoded = SeriesCodec.encode(message);
        List.copyOf(workers).forEach(worker -> worker.send(encoded));
    }

    /** Ends the series that runs, if there is one. None of its images is handed out afterwards. */
    synchronized void abort() {
        if (running != null) {
            running.end();
        }
    }

    /** Ends the series that runs, and the workers' streams. */
    void close() {
        abort();
        List<Worker> all;
        synchronized (this) {
            all = List.copyOf(workers);
        }
        all.forEach(worker -> worker.sink.complete());
    }

    /** A series, which asks the detector for one image after the other. */
    private final class Running extends BaseSubscriber<ByteBuffer> {
        private final Start start;
        private final Sinks.One<Integer> result = Sinks.one();
        private @Nullable ByteBuffer waiting;
        private boolean over;
        private @Nullable Throwable failure;
        private int handedOut;

        Running(Start start) {
            this.start = start;
        }

        /** Compresses an image, outside of the lock. */
        ByteBuffer encode(Image image) {
            if (image.series() != start.series() || !image.uniqueId().equals(start.uniqueId())) {
                throw new IllegalArgumentException("an image of series " + image.series() + " (" + image.uniqueId()
                        + ") within series " + start.series() + " (" + start.uniqueId() + ")");
            }
            return SeriesCodec.encode(image);
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(1);
        }

        @Override
        protected void hookOnNext(ByteBuffer image) {
            synchronized (SharedSeries.this) {
                if (running == this) {
                    waiting = image;
                    goOn();
                }
            }
        }

        @Override
        protected void hookOnComplete() {
            over(null);
        }

        @Override
        protected void hookOnError(Throwable thrown) {
            over(thrown);
        }

        /** The detector has no more. The end comes behind the image that waits. */
        private void over(@Nullable Throwable thrown) {
            synchronized (SharedSeries.this) {
                over = true;
                failure = thrown;
                goOn();
            }
        }

        /** Hands out what waits, if a worker has asked for it. */
        void goOn() {
            ByteBuffer image = waiting;
            Worker next = image == null ? null : whoHasAsked();
            if (image != null && next != null) {
                waiting = null;
                handedOut++;
                next.send(image);
                request(1);
            }
            if (waiting == null && over) {
                end();
            }
        }

        private @Nullable Worker whoHasAsked() {
            for (int n = 0; n < workers.size(); n++) {
                turn = (turn + 1) % workers.size();
                Worker worker = workers.get(turn);
                if (worker.demand > 0) {
                    return worker;
                }
            }
            return null;
        }

        void end() {
            synchronized (SharedSeries.this) {
                if (running == this) {
                    running = null;
                    waiting = null;
                    tellAll(new End(start.series(), start.uniqueId()));
                    cancel();
                    Throwable thrown = failure;
                    if (thrown == null) {
                        result.tryEmitValue(handedOut);
                    } else {
                        result.tryEmitError(thrown);
                    }
                }
            }
        }
    }
}
