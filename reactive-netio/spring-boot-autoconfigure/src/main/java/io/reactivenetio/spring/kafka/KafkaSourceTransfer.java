// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.KafkaSourceStatistics;
import io.reactivenetio.kafka.NetioKafkaSource;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.kafka.KafkaWatch.Status;
import io.reactivenetio.spring.kafka.KafkaWatch.View;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/**
 * Publishes topics of Kafka. Kafka is read when the first subscriber has come. A source that fails begins again if it has
 * published nothing yet: afterwards it would publish messages twice. Any thread.
 */
final class KafkaSourceTransfer implements KafkaTransfer {
    private final String name;
    private final NetioKafkaProperties.Source own;
    private final NetioKafkaSource source;
    private final NetioPublisher publisher;
    private final Tags tags;
    private final KafkaRetry retry;
    private final KafkaWatch watch;
    private volatile Sinks.Empty<Void> end = Sinks.empty();
    /** Since when an attempt has not failed, as of {@link System#nanoTime}; 0 while there is none. */
    private volatile long attemptedNanos;
    private boolean published;

    KafkaSourceTransfer(String name, NetioKafkaProperties.Source own, NetioKafkaSource source, NetioPublisher publisher,
            Tags tags, KafkaRetry retry) {
        this.name = name;
        this.own = own;
        this.source = source;
        this.publisher = publisher;
        this.tags = tags;
        this.retry = retry;
        this.watch = new KafkaWatch("Kafka source '" + name + "'");
    }

    NetioKafkaSource source() {
        return source;
    }

    @Override
    public synchronized void start() {
        end.tryEmitEmpty();
        end = Sinks.empty();
        watch.is(Status.WAITING);
        if (!published) { // or nobody has subscribed since
            try {
                publisher.publish(tags, Flux.defer(this::messages).doFinally(signal -> gone()));
            } catch (IllegalArgumentException e) {
                throw new KafkaSettingsException("netio.kafka.sources." + name + ".tags is " + own.tags() + ": "
                        + e.getMessage(), "Give this source tags of its own", e);
            }
            published = true;
        }
    }

    private synchronized void gone() {
        published = false;
    }

    private Flux<TaggedMessage> messages() {
        AtomicBoolean any = new AtomicBoolean();
        watch.is(Status.STARTING);
        return source.messages().doOnSubscribe(subscription -> attemptedNanos = System.nanoTime() | 1)
                .doOnNext(message -> {
                    if (!any.getPlain()) {
                        any.setPlain(true);
                        watch.is(Status.UP);
                    }
                })
                .filter(message -> tags.contains(message.tag()))
                .retryWhen(Retry.backoff(Long.MAX_VALUE, retry.least()).maxBackoff(retry.most())
                        .filter(failure -> !any.get() && retry.isTransient(failure))
                        .doBeforeRetry(signal -> {
                            attemptedNanos = 0;
                            watch.failed(signal.failure());
                        }))
                .doOnError(watch::ended).doOnComplete(() -> watch.is(Status.COMPLETED))
                .takeUntilOther(end.asMono());
    }

    /** Subscribers have been told that the server stops by now, and do not take this for the end of the stream. */
    @Override
    public synchronized Mono<Void> stop() {
        end.tryEmitEmpty();
        attemptedNanos = 0;
        watch.is(Status.STOPPED);
        return Mono.empty();
    }

    @Override
    public void abort() {
        stop();
    }

    /** A topic without messages is there as well: if it were not, the attempt would have failed by now. */
    @Override
    public View view() {
        View view = watch.view();
        long begun = attemptedNanos;
        boolean open = view.status() == Status.STARTING || view.status() == Status.DOWN;
        return open && begun != 0 && Duration.ofNanos(System.nanoTime() - begun).minusSeconds(1).compareTo(own.timeout()) > 0
                ? new View(Status.UP, view.since(), null) : view;
    }

    /** Without {@code follow} it ends where the topics end. */
    @Override
    public boolean mayComplete() {
        return true;
    }

    @Override
    public Map<String, Object> figures() {
        KafkaSourceStatistics now = source.statistics();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("emitted", now.emitted());
        figures.put("lag", now.lag());
        return figures;
    }

    @Override
    public Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("topics", own.topics());
        settings.put("tags", own.tags());
        settings.put("from", own.from());
        return settings;
    }
}
