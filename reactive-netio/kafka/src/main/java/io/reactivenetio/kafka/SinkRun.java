// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.kafka.NetioKafkaException.Reason;
import io.reactivenetio.pubsub.SequencedEvent;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.concurrent.Queues;
import reactor.util.context.Context;

/**
 * One subscription of a sink, and its thread. The upstream puts entries into a queue; everything else happens on that thread, as
 * Kafka's producer may block: records are handed over, outcomes told downstream in the order of the messages, more is requested.
 */
final class SinkRun<T> implements CoreSubscriber<T>, Subscription, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(SinkSettings.LOGGER);
    /** Makes an entry of an element of the upstream. */
    interface EntryFactory<T> {
        SinkEntry of(T element, Runnable wake);
    }

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<SinkRun> DEMAND = AtomicLongFieldUpdater.newUpdater(SinkRun.class, "demand");
    private static final int BATCH = 256;
    private static final long TURN = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long REASON = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long REST = TimeUnit.MILLISECONDS.toNanos(500);

    private final SinkSettings settings;
    private final SinkCounters counters;
    private final Publisher<? extends T> source;
    private final EntryFactory<T> factory;
    private final CoreSubscriber<? super Acknowledgement> downstream;
    private final KafkaProblems problems;
    private final SinkWindow window;
    private final GapLog gapLog;
    private final Thread thread;
    private final Queue<SinkEntry> queue = Queues.<SinkEntry>unbounded(1_024).get();
    private final Deque<SinkEntry> inFlight = new ArrayDeque<>();
    private final Runnable wake = this::wake;
    private volatile @Nullable Subscription upstream;
    private volatile @Nullable Throwable upstreamError;
    private volatile boolean upstreamDone;
    private volatile boolean cancelled;
    private volatile boolean sleeping;
    private volatile long demand;
    private @Nullable SinkEntry refused;
    private @Nullable SinkEntry waiting;
    private long refusedSince;
    private boolean stuck;
    private long tooLargeTold = System.nanoTime() - TimeUnit.SECONDS.toNanos(1);

    SinkRun(SinkSettings settings, SinkCounters counters, Publisher<? extends T> source, EntryFactory<T> factory,
            CoreSubscriber<? super Acknowledgement> downstream) {
        this.settings = settings;
        this.counters = counters;
        this.source = source;
        this.factory = factory;
        this.downstream = downstream;
        this.problems = new KafkaProblems(settings.bootstrap);
        this.window = new SinkWindow(settings.inFlight, settings.inFlightBytes);
        this.gapLog = new GapLog(counters, settings.topicText());
        this.thread = new Thread(this, "netio-kafka-sink-" + NUMBERS.incrementAndGet());
        thread.setDaemon(true);
    }

    void start() {
        if (!cancelled) {
            thread.start();
        }
    }

    // on the upstream's thread

    @Override
    public Context currentContext() {
        return downstream.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        if (Operators.validate(upstream, subscription)) {
            upstream = subscription;
            if (cancelled || upstreamDone) { // as at a bad request
                subscription.cancel();
            }
        }
    }

    @Override
    public void onNext(T element) {
        SinkEntry entry;
        try {
            entry = factory.of(element, wake);
        } catch (Throwable e) { // an Error in the user's operators would be lost there, and the sink would wait
            cancelUpstream();
            onError(e);
            return;
        }
        queue.offer(entry);
        wake();
    }

    @Override
    public void onError(Throwable failure) {
        if (upstreamDone) {
            Operators.onErrorDropped(failure, currentContext());
            return;
        }
        upstreamError = failure;
        upstreamDone = true;
        wake();
    }

    @Override
    public void onComplete() {
        upstreamDone = true;
        wake();
    }

    // on the downstream's thread

    @Override
    public void request(long n) {
        if (n < 1) {
            cancelUpstream();
            onError(new IllegalArgumentException("§3.9: request at least 1: " + n));
            return;
        }
        Operators.addCap(DEMAND, this, n);
        wake();
    }

    @Override
    public void cancel() {
        cancelled = true;
        cancelUpstream();
        wake();
    }

    private void cancelUpstream() {
        Subscription subscription = upstream;
        if (subscription != null) {
            subscription.cancel();
        }
    }

    private void wake() {
        VarHandle.fullFence(); // what was written before is seen by the thread, or its sleep is seen here
        if (sleeping) {
            LockSupport.unpark(thread);
        }
    }

    // on the sink's own thread

    @Override
    public void run() {
        SinkProducer producer = new SinkProducer(settings);
        NetioKafkaException failure = null;
        try {
            producer.open();
            if (!cancelled && !upstreamDone) {
                source.subscribe(this);
                untilTheEnd(producer);
            }
        } catch (Throwable e) {
            failure = explain(producer, e);
        }
        end(producer, failure);
    }

    private NetioKafkaException explain(SinkProducer producer, Throwable problem) {
        SinkEntry entry = failed();
        Exception told = entry == null ? null : entry.failure();
        long left = (long) inFlight.size() + drain();
        if (told == null || entry == null) {
            return problems.explain(problem, "writing to topic " + settings.topicText(), left);
        }
        String topic = entry.topic() == null ? settings.topicText() : String.valueOf(entry.topic()); // not asked for once more
        String shrunk = told instanceof TimeoutException ? producer.hasShrunk(topic) : null;
        return problems.explain(shrunk == null ? told : new NetioKafkaException(Reason.NO_TOPIC,
                        entry.name() + ": " + shrunk, told),
                entry.name() + ", to topic " + topic, left);
    }

    /**
     * The oldest record that failed, and rather one that failed for a reason of its own: of a batch that the broker refuses, the
     * others are only told that one of it was bad.
     */
    private @Nullable SinkEntry failed() {
        SinkEntry first = null;
        for (long end = System.nanoTime() + REASON;; LockSupport.parkNanos(this, TURN)) {
            for (SinkEntry entry : inFlight) {
                Exception told = entry.done() ? entry.failure() : null;
                if (told != null && told.getClass() != KafkaException.class) {
                    return entry;
                }
                first = first == null && told != null ? entry : first;
            }
            if (first == null || System.nanoTime() > end) {
                return first;
            }
        }
    }

    private void untilTheEnd(SinkProducer producer) {
        while (!cancelled) {
            boolean ended = upstreamDone; // before the queue: what came before the end is in it
            boolean worked = acknowledge(producer);
            worked |= handOver(producer);
            worked |= request(); // before it is asked whether anything more may come
            if (producer.commitIsDue(waiting == null && (window.isExhausted() || ended && queue.isEmpty()),
                    System.nanoTime())) {
                producer.commit(inFlight.size() - (waiting == null ? 0 : 1));
                counters.transactions.increment();
                worked = true;
            }
            if (ended && queue.isEmpty() && inFlight.isEmpty()) {
                return;
            }
            if (gapLog.hasMore()) {
                gapLog.sayIfTime(System.nanoTime());
            }
            if (!worked) {
                sleep(producer, ended);
            }
        }
    }

    /** Tells what is acknowledged, as far as it is asked for. */
    private boolean acknowledge(SinkProducer producer) {
        long wanted = demand;
        long told = 0;
        boolean worked = false;
        for (SinkEntry head = inFlight.peek(); head != null && !cancelled; head = inFlight.peek()) {
            Exception failure = head.done() ? head.failure() : null;
            if (failure instanceof RecordTooLargeException && settings.skipTooLarge && settings.transactions == null) {
                release(inFlight.remove());
                tooLarge(head, failure);
            } else if (failure != null) {
                throw new IllegalStateException("a record has failed", failure); // which one is told with the end
            } else if (!head.done() || told == wanted || !producer.mayAcknowledge()) {
                break;
            } else {
                inFlight.remove();
                producer.acknowledged();
                counters.acknowledged.increment();
                counters.bytes.add(head.value().length);
                release(head);
                told++;
                downstream.onNext(head.acknowledgement());
            }
            worked = true;
        }
        if (told > 0) {
            Operators.produced(DEMAND, this, told);
        }
        return worked;
    }

    /** Takes what was not handed over, and tells how many messages that was. */
    private int drain() {
        int messages = 0;
        for (SinkEntry entry = queue.poll(); entry != null; entry = queue.poll()) {
            messages += entry.event() == null ? 1 : 0;
        }
        counters.failed.add(messages);
        return messages;
    }

    private void release(SinkEntry entry) {
        left(entry);
        window.released(entry.value().length);
    }

    /** Counts it as in flight no more. The number is the last to fall: whoever sees it finds all else as it is then. */
    private void left(SinkEntry entry) {
        counters.inFlightBytes.add(-(long) entry.value().length);
        counters.inFlight.decrement();
    }

    private boolean handOver(SinkProducer producer) {
        if (stuck) {
            return false; // what came after the message that failed would be in Kafka without it
        }
        SinkEntry former = refused == null ? waiting : refused;
        if (former != null && !send(producer, former)) {
            return waiting == null;
        }
        int n = 0;
        for (SinkEntry entry; n < BATCH && !cancelled && (entry = queue.poll()) != null; n++) {
            SequencedEvent event = entry.event();
            window.arrived(entry.value().length);
            if (event != null) {
                window.released(0);
                gapLog.add(event);
                continue;
            }
            counters.inFlight.increment();
            counters.inFlightBytes.add(entry.value().length);
            if ((long) entry.value().length + NetioKafkaHeaders.OVERHEAD > producer.mostRequest()) {
                RecordTooLargeException failure = new RecordTooLargeException(entry.value().length + " bytes, and the producer's"
                        + " max.request.size is " + producer.mostRequest());
                if (settings.skipTooLarge) {
                    release(entry);
                    tooLarge(entry, failure);
                } else {
                    inFlight.add(entry);
                    entry.onCompletion(null, failure);
                    if (settings.transactions != null) {
                        throw failure; // before the transaction is committed
                    }
                }
                continue;
            }
            inFlight.add(entry);
            if (!send(producer, entry)) {
                return true;
            }
            if (producer.commitIsDue(false, System.nanoTime())) {
                return true;
            }
        }
        return n > 0 || former != null;
    }

    /**
     * Hands one over; false if nothing may follow it now. While brokers are away the producer may know nothing of the topic, and
     * refuses after a while: others are acknowledged meanwhile, and it is tried again for as long as a delivery may take.
     */
    private boolean send(SinkProducer producer, SinkEntry entry) {
        if (!producer.send(entry)) {
            waiting = entry;
            return false;
        }
        waiting = null;
        if (!entry.done() || entry.failure() == null) {
            refused = null;
            counters.sent.increment();
            return true;
        }
        if (entry.failure() instanceof TimeoutException && entry.wasRefused() && settings.transactions == null) {
            refusedSince = refused == null ? System.nanoTime() - settings.mostBlocked().toNanos() : refusedSince;
            if (System.nanoTime() - refusedSince < settings.deliveryTimeout.toNanos()) {
                refused = entry;
                entry.again();
                return false;
            }
        }
        refused = null;
        stuck = !(entry.failure() instanceof RecordTooLargeException && settings.skipTooLarge);
        return !stuck;
    }

    private void tooLarge(SinkEntry entry, Exception failure) {
        counters.failed.increment();
        counters.tooLarge.increment();
        if (System.nanoTime() - tooLargeTold >= TimeUnit.SECONDS.toNanos(1)) {
            tooLargeTold = System.nanoTime();
            LOG.warn("left out {}, on its way to topic {}: {}; {} so far", entry.name(), settings.topicText(),
                    failure.getMessage(), counters.tooLarge.sum());
        }
    }

    private boolean request() {
        Subscription subscription = upstream;
        if (subscription == null || upstreamDone) {
            return false;
        }
        long n = window.next();
        if (n > 0) {
            subscription.request(n);
        }
        return n > 0;
    }

    private void sleep(SinkProducer producer, boolean ended) {
        sleeping = true;
        SinkEntry head = inFlight.peek();
        boolean acknowledgeable = head != null && head.done()
                && (head.failure() != null || demand > 0 && producer.mayAcknowledge());
        if ((queue.isEmpty() || stuck || waiting != null) && !cancelled && upstreamDone == ended && !acknowledgeable) {
            LockSupport.parkNanos(this, Math.min(waiting == null ? REST : TURN,
                    producer.untilCommit(System.nanoTime())));
        }
        sleeping = false;
    }

    private void end(SinkProducer producer, @Nullable NetioKafkaException failure) {
        if (failure != null) {
            cancelUpstream();
        }
        gapLog.say();
        producer.close(failure == null || settings.transactions != null ? settings.closeTimeout : Duration.ZERO);
        for (SinkEntry entry : inFlight) {
            counters.failed.add(producer.mayAcknowledge() && entry.done() && entry.failure() == null ? 0 : 1);
            left(entry);
        }
        Throwable error = failure == null ? upstreamError : failure;
        if (cancelled) {
            if (failure != null && failure.reason() == Reason.OTHER) {
                LOG.debug("after the cancel: {}", failure.getMessage());
            }
        } else if (error != null) {
            downstream.onError(error);
        } else {
            downstream.onComplete();
        }
    }
}
