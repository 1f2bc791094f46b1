// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.KafkaSinkStatistics;
import io.reactivenetio.kafka.NetioKafkaSink;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.spring.kafka.KafkaWatch.Status;
import io.reactivenetio.spring.kafka.NetioKafkaProperties.SinkStart;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Writes what a subscriber gets to Kafka, and begins again when Kafka has failed. Any thread. */
final class KafkaSinkTransfer implements KafkaTransfer {
    private final NetioKafkaProperties.Sink own;
    private final NetioKafkaSink sink;
    private final NetioSubscriber subscriber;
    private final List<Tags> tags;
    private final KafkaRetry retry;
    private final KafkaWatch watch;
    private @Nullable Run current;

    KafkaSinkTransfer(String name, NetioKafkaProperties.Sink own, NetioKafkaSink sink, NetioSubscriber subscriber,
            List<Tags> tags, KafkaRetry retry) {
        this.own = own;
        this.sink = sink;
        this.subscriber = subscriber;
        this.tags = tags;
        this.retry = retry;
        this.watch = new KafkaWatch("Kafka sink '" + name + "'");
    }

    NetioKafkaSink sink() {
        return sink;
    }

    /** From one start to the stop that follows. */
    private final class Run {
        private final Sinks.Empty<Void> end = Sinks.empty();
        private final Sinks.Empty<Void> over = Sinks.empty();
        /** The subscription to the sink, or the pause before the next one. */
        private final Disposable.Swap work = Disposables.swap();
        private int failures;

        /** With the lock: what the subscription signals on its thread comes after it is kept here. */
        synchronized void attempt() {
            if (!work.isDisposed()) {
                work.update(sink.send(Flux.defer(this::events)).subscribe(acknowledged -> { }, this::failed, this::completed));
            }
        }

        /** Called on the sink's thread when brokers and topic have been found. */
        private Flux<SequencedEvent> events() {
            begun();
            return Flux.merge(Flux.fromIterable(tags).map(KafkaSinkTransfer.this::events), tags.size())
                    .takeUntilOther(end.asMono());
        }

        private synchronized void begun() {
            failures = 0;
            if (!work.isDisposed()) {
                watch.is(Status.UP);
            }
        }

        private synchronized void failed(Throwable failure) {
            if (work.isDisposed()) {
                return;
            }
            if (retry.isTransient(failure) && !isEnding()) {
                watch.failed(failure);
                work.update(Mono.delay(retry.pause(failures++)).subscribe(passed -> attempt()));
            } else {
                watch.ended(failure);
                over.tryEmitEmpty();
            }
        }

        private boolean isEnding() {
            return Boolean.TRUE.equals(end.scan(reactor.core.Scannable.Attr.TERMINATED));
        }

        private synchronized void completed() {
            watch.is(isEnding() ? Status.STOPPED : Status.COMPLETED);
            over.tryEmitEmpty();
        }

        Mono<Void> stop() {
            if (watch.view().status() == Status.UP) {
                end.tryEmitEmpty();
            } else { // nothing was taken
                abort();
            }
            return over.asMono();
        }

        synchronized void abort() {
            work.dispose();
            watch.is(Status.STOPPED);
            over.tryEmitEmpty();
        }
    }

    private Flux<SequencedEvent> events(Tags one) {
        return own.from() == SinkStart.NOW ? subscriber.subscribeSequenced(one) : sink.eventsFrom(subscriber, one);
    }

    @Override
    public synchronized void start() {
        abort(); // what a stop has not ended in time
        watch.is(Status.STARTING);
        Run run = new Run();
        current = run;
        run.attempt();
    }

    @Override
    public synchronized Mono<Void> stop() {
        Run run = current;
        return run == null ? Mono.empty() : run.stop();
    }

    @Override
    public synchronized void abort() {
        Run run = current;
        if (run != null) {
            run.abort();
            current = null;
        }
    }

    @Override
    public KafkaWatch.View view() {
        return watch.view();
    }

    /** What it writes is to come for ever; a publisher that has ended it sends nothing more. */
    @Override
    public boolean mayComplete() {
        return false;
    }

    @Override
    public Map<String, Object> figures() {
        KafkaSinkStatistics now = sink.statistics();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("acknowledged", now.acknowledged());
        figures.put("inFlight", now.inFlight());
        figures.put("missed", now.missed());
        return figures;
    }

    @Override
    public Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("client", own.client());
        settings.put("tags", own.tags());
        settings.put("topic", own.topic() == null ? "" : own.topic());
        return settings;
    }
}
