// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.kafka.NetioKafkaException.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** One subscription of a source, with its consumer and its thread: all but {@link #request} and {@link #cancel} is there. */
final class SourceRun<T> implements Subscription, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(NetioKafkaSource.class);
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<SourceRun> DEMAND =
            AtomicLongFieldUpdater.newUpdater(SourceRun.class, "demand");
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long LONG_WAIT = TimeUnit.MINUTES.toNanos(1);
    private static final long REST = TimeUnit.SECONDS.toNanos(1);
    private static final int BATCH = 256;
    private static final int PATIENCE = 6;
    private static final Duration CLOSE = Duration.ofSeconds(2);

    private final SourceSettings settings;
    private final SourceCounters counters;
    private final Function<ConsumerRecord<byte[], byte[]>, T> decoder;
    private final CoreSubscriber<? super T> downstream;
    private final KafkaProblems problems;
    private final ReplayPace pace;
    private final AddedPartitions added;
    private final Thread thread;
    private volatile @Nullable Consumer<byte[], byte[]> consumer;
    private volatile @Nullable IllegalArgumentException refusal;
    private volatile boolean cancelled;
    private volatile long demand;
    private long lag;
    private long toldOf = Long.MIN_VALUE;

    SourceRun(SourceSettings settings, SourceCounters counters, Function<ConsumerRecord<byte[], byte[]>, T> decoder,
            CoreSubscriber<? super T> downstream) {
        this.settings = settings;
        this.counters = counters;
        this.decoder = decoder;
        this.downstream = downstream;
        this.problems = new KafkaProblems(settings.bootstrap);
        this.pace = new ReplayPace(settings.speed, settings.rate);
        this.added = new AddedPartitions(settings.topics, settings.timeout, LOG);
        this.thread = new Thread(this, "netio-kafka-source-" + NUMBERS.incrementAndGet());
        thread.setDaemon(true);
    }

    void start() {
        if (!cancelled) {
            thread.start();
        }
    }

    @Override
    public void request(long n) {
        if (n < 1) {
            refusal = new IllegalArgumentException("§3.9: request at least 1: " + n);
            wake();
            return;
        }
        Operators.addCap(DEMAND, this, n);
        LockSupport.unpark(thread);
    }

    @Override
    public void cancel() {
        cancelled = true;
        wake();
    }

    private void wake() {
        Consumer<byte[], byte[]> polling = consumer;
        if (polling != null) {
            polling.wakeup();
        }
        LockSupport.unpark(thread);
    }

    private boolean goesOn() {
        return !cancelled && refusal == null;
    }

    @Override
    public void run() {
        Throwable failure = null;
        try {
            problems.checkTopics(settings.clients, settings.consumer(), settings.topics, settings.timeout);
            if (goesOn()) {
                read();
            }
        } catch (WakeupException e) {
            LOG.trace("woken for the end", e);
        } catch (Throwable e) {
            failure = problems.explain(e, "reading " + String.join(", ", settings.topics), 0);
        }
        Throwable refused = refusal;
        if (cancelled) {
            return;
        }
        if (refused != null) {
            downstream.onError(refused);
        } else if (failure != null) {
            downstream.onError(failure);
        } else {
            downstream.onComplete();
        }
    }

    private void read() {
        Consumer<byte[], byte[]> made = settings.clients.consumer(settings.consumer());
        try (TopicIds ids = new TopicIds(settings, LOG)) {
            consumer = made;
            if (goesOn()) {
                emitAll(made, new PartitionHeads(begin(made)), ids);
            }
        } finally {
            consumer = null;
            tellLag(0);
            close(made);
        }
    }

    private static void close(Consumer<byte[], byte[]> made) {
        try {
            made.close(CloseOptions.timeout(CLOSE));
        } catch (RuntimeException e) {
            LOG.debug("closing the consumer", e);
        }
    }

    /** Assigns all partitions, seeks, and returns where each ends. */
    private Map<TopicPartition, Long> begin(Consumer<byte[], byte[]> made) {
        List<TopicPartition> partitions = settings.topics.stream().flatMap(topic -> made.partitionsFor(topic).stream())
                .map(info -> new TopicPartition(info.topic(), info.partition())).toList();
        made.assign(partitions);
        Map<TopicPartition, Long> first = made.beginningOffsets(partitions);
        Map<TopicPartition, Long> last = made.endOffsets(partitions);
        Map<TopicPartition, Long> from = switch (settings.start) {
            case SourceSettings.Start.Earliest _ -> first;
            case SourceSettings.Start.End _ -> last;
            case SourceSettings.Start.Offsets given -> offsets(given.offsets(), first, last);
            case SourceSettings.Start.Time time -> since(made, time, last);
        };
        from.forEach(made::seek);
        Map<TopicPartition, Long> ends = new LinkedHashMap<>();
        partitions.forEach(partition -> ends.put(partition, settings.toPresentEnd ? last.getOrDefault(partition, 0L)
                : Long.MAX_VALUE));
        return ends;
    }

    private static Map<TopicPartition, Long> offsets(Map<TopicPartition, Long> given, Map<TopicPartition, Long> first,
            Map<TopicPartition, Long> last) {
        Map<TopicPartition, Long> from = new HashMap<>(first);
        given.forEach((partition, offset) -> {
            Long begin = first.get(partition);
            Long end = last.get(partition);
            if (begin == null || end == null) {
                throw new NetioKafkaException(Reason.NO_OFFSET, "no partition " + partition + " among those that are read: "
                        + first.keySet(), null);
            }
            if (offset < begin || offset > end) {
                throw new NetioKafkaException(Reason.NO_OFFSET, partition + " has offsets " + begin + " to " + end + ", and not "
                        + offset + ": begin at the beginning, or at a time", null);
            }
            from.put(partition, offset);
        });
        return from;
    }

    private static Map<TopicPartition, Long> since(Consumer<byte[], byte[]> made, SourceSettings.Start.Time start,
            Map<TopicPartition, Long> last) {
        Map<TopicPartition, Long> times = new HashMap<>();
        last.keySet().forEach(partition -> times.put(partition, millis(start.time())));
        Map<TopicPartition, Long> from = new HashMap<>(last);
        made.offsetsForTimes(times).forEach((partition, found) -> {
            @Nullable OffsetAndTimestamp there = found;
            if (there != null) {
                from.put(partition, there.offset());
            }
        });
        return from;
    }

    /** Kafka has times from 1970 on, in as many milliseconds as there can be. */
    private static long millis(Instant time) {
        try {
            return Math.max(0, time.toEpochMilli());
        } catch (ArithmeticException e) {
            return time.getEpochSecond() < 0 ? 0 : Long.MAX_VALUE;
        }
    }

    private void emitAll(Consumer<byte[], byte[]> made, PartitionHeads heads, TopicIds ids) {
        made.assignment().forEach(partition -> heads.readTo(partition, made.position(partition)));
        long heard = System.nanoTime();
        while (goesOn()) {
            if (heads.areAllOver()) {
                ids.check();
                return;
            }
            if (demand == 0) {
                LockSupport.parkNanos(this, REST);
                heard = System.nanoTime(); // nobody was asked
                continue;
            }
            ids.checkIfTime();
            if (!settings.toPresentEnd) {
                added.takeIfTime(made, heads);
            }
            boolean emitted = !mustWait(made, heads.empty()) && emit(heads);
            if (emitted && heads.empty().isEmpty() || heads.open().isEmpty()) {
                continue;
            }
            Long time = heads.nextTime();
            boolean idle = !emitted && (time == null || mustWait(made, heads.empty()));
            if (poll(made, heads, idle ? POLL : Duration.ZERO) || !idle) {
                heard = System.nanoTime();
            } else if (settings.toPresentEnd && System.nanoTime() - heard > PATIENCE * settings.timeout.toNanos()) {
                throw new NetioKafkaException(Reason.NO_BROKER, "reading " + heads.open() + ": no broker at " + settings.bootstrap
                        + " has sent anything for " + settings.timeout.multipliedBy(PATIENCE), null);
            }
        }
    }

    /** Whether one of these, of which nothing is here, has more: then it may be its turn. */
    private boolean mustWait(Consumer<byte[], byte[]> made, List<TopicPartition> empty) {
        for (TopicPartition partition : empty) {
            OptionalLong lag = made.currentLag(partition);
            if (settings.toPresentEnd || lag.isEmpty() || lag.getAsLong() > 0) {
                return true;
            }
        }
        return false;
    }

    private boolean poll(Consumer<byte[], byte[]> made, PartitionHeads heads, Duration limit) {
        Collection<TopicPartition> full = heads.open(true);
        made.pause(full);
        made.pause(heads.ended());
        made.resume(heads.open(false));
        var polled = made.poll(limit);
        heads.add(polled);
        boolean progress = !polled.isEmpty();
        long behind = heads.waiting();
        for (TopicPartition partition : heads.open()) {
            heads.readTo(partition, made.position(partition));
            behind += settings.toPresentEnd ? heads.untilEnd(partition) : made.currentLag(partition).orElse(0);
        }
        tellLag(behind);
        return progress;
    }

    private void tellLongWait(long time, long wait) {
        if (wait > LONG_WAIT && time != toldOf) {
            toldOf = time;
            LOG.info("waits {} for the next message, which was written at {}", Duration.ofSeconds(wait / SECOND), at(time));
        }
    }

    private static Instant at(long nanos) {
        return Instant.EPOCH.plusNanos(nanos);
    }

    private void tellLag(long now) {
        counters.lag.add(now - lag);
        lag = now;
    }

    /** Emits what is due and asked for, a batch at most; waits for what is due soon. Whether it has emitted something. */
    private boolean emit(PartitionHeads heads) {
        long wanted = Math.min(BATCH, demand);
        long n = 0;
        int empty = heads.empty().size();
        while (n < wanted && goesOn()) {
            Long time = heads.nextTime();
            if (time == null) {
                break;
            }
            long now = System.nanoTime();
            long wait = pace.untilDue(time, now);
            if (wait > 0) {
                if (n == 0) {
                    tellLongWait(time, wait);
                    LockSupport.parkNanos(this, Math.min(wait, REST));
                }
                break;
            }
            if (pace.hasJumped(time)) {
                LOG.warn("the next message was written at {}, more than a day after the one before: that clock was set, and its"
                        + " jump is not waited for", at(time));
            }
            pace.gone(time, now);
            ConsumerRecord<byte[], byte[]> taken = Objects.requireNonNull(heads.take());
            T value = Objects.requireNonNull(decoder.apply(taken), "the decoder returned null");
            n++;
            counters.emitted.increment();
            counters.bytes.add(Math.max(0, taken.serializedValueSize()));
            downstream.onNext(value);
            if (heads.haveEmptied(empty)) {
                break; // it may be the turn of one that is not here any more
            }
        }
        if (n > 0) {
            Operators.produced(DEMAND, this, n);
        }
        return n > 0;
    }
}
