// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * One run of a listener that takes message by message: its streams, the messages that wait, and the workers that call the method.
 * There are as many workers as there is work for, and at most as many as the listener's concurrency, so that with one of them the
 * order is kept. What waits is bounded by what the streams have asked for. Any thread.
 */
final class MessageListenerRun implements ListenerRun, MessageStream.Receiver {
    /**
     * How long a stop waits for messages that were asked for: nothing tells whether there are any, or whether they come. It waits
     * once more while some came meanwhile.
     */
    private static final Duration GRACE = Duration.ofMillis(100);
    private static final int MOST_GRACES = 20;

    private final ListenerMethod method;
    private final ListenerSettings settings;
    private final ListenerCounters counters;
    private final Failures failures;
    private final Executor threads;
    private final List<MessageStream> streams = new ArrayList<>();
    private final Queue<PendingMessage> waiting = new ConcurrentLinkedQueue<>();
    private final Set<MessageListenerInvoker> workers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger busy = new AtomicInteger();
    /** How many messages have come since threads were started for those before. */
    private final AtomicInteger fresh = new AtomicInteger();
    /** One of the workers that have nothing to do, kept for the next message. */
    private final AtomicReference<@Nullable MessageListenerInvoker> spare = new AtomicReference<>();
    /** Messages that are here, and one for each stream that has not ended, and for a start that is not over. */
    private final AtomicInteger open;
    /** Whether a worker has found nothing to do since {@link #behindNanos}. */
    private volatile boolean keptUp = true;
    /** When the first message had to wait after a worker had found nothing to do. */
    private volatile long behindNanos;
    private final Disposable.Swap grace = Disposables.swap();
    private final Sinks.Empty<Void> over = Sinks.empty();
    private volatile @Nullable Throwable failure;
    private volatile boolean aborted;
    /** How many were worked on at the moment of the abort. Written before {@link #aborted}. */
    private int givenUpWorking;
    private final LongAdder givenUpWaiting = new LongAdder();

    MessageListenerRun(ListenerMethod method, ListenerSettings settings, ListenerCounters counters, Failures failures) {
        this.method = method;
        this.settings = settings;
        this.counters = counters;
        this.failures = failures;
        this.threads = settings.blocks() ? VirtualThreads.of(this, settings.id()) : Runnable::run;
        for (Tags tags : settings.tags()) {
            streams.add(new MessageStream(tags, this, settings.demand(), settings.peers()));
        }
        this.open = new AtomicInteger(streams.size() + 1);
    }

    @Override
    public void start() {
        try {
            method.resolve();
            for (MessageStream stream : streams) {
                stream.start(settings.messages(method.content(), stream.tags(), stream::connected));
            }
        } finally {
            leave();
        }
    }

    // ---- streams

    @Override
    public void add(Message message, MessageStream stream) {
        counters.received.increment();
        if (open.getAndUpdate(now -> now == 0 ? 0 : now + 1) == 0) { // it has come behind the end
            counters.discarded.increment();
            message.close();
            return;
        }
        if (aborted) {
            giveUp(message);
            return;
        }
        PendingMessage work = new PendingMessage(message, stream);
        if (!settings.blocks() && waiting.isEmpty() && claim()) { // nothing of this stream comes before it
            work(work);
            return;
        }
        if (keptUp) { // the clock is not asked for each message
            behindNanos = System.nanoTime();
            keptUp = false;
        }
        waiting.add(work);
        if (!settings.blocks()) {
            if (claim()) {
                work(null);
            }
        } else if (busy.get() < settings.concurrency() && fresh.getAndIncrement() == 0) {
            stream.afterTurn(this::startThreads); // to find many: handed over one by one, messages cost four times as much
        }
    }

    private void startThreads() {
        for (int most = fresh.getAndSet(0); most > 0 && claim(); most--) {
            work(null);
        }
    }

    /** Has one more worker begin, with {@code first} or with what waits. */
    private void work(@Nullable PendingMessage first) {
        MessageListenerInvoker worker = spare.getAndSet(null);
        if (worker == null) {
            worker = new MessageListenerInvoker(this);
            workers.add(worker);
        }
        worker.first(first);
        execute(worker);
    }

    @Override
    public void ended(MessageStream stream, @Nullable Throwable error) {
        if (error != null) {
            failure = error;
            execute(() -> failures.subscription(stream.toString(), error));
        }
        leave();
    }

    // ---- workers

    /** Whether one more worker may work. */
    private boolean claim() {
        for (int now = busy.get(); now < settings.concurrency(); now = busy.get()) {
            if (busy.compareAndSet(now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    /** What a worker is to work on next. If that is null, it has nothing to do, and {@link #rests} as its last action. */
    @Nullable PendingMessage next() {
        PendingMessage work = poll();
        while (work == null) {
            if (!keptUp) {
                keptUp = true;
            }
            busy.decrementAndGet();
            if (waiting.isEmpty() || !claim()) {
                return null;
            }
            work = poll();
        }
        return work;
    }

    /** {@code worker} has nothing to do. From now on another thread may have it work again. */
    void rests(MessageListenerInvoker worker) {
        if (!spare.compareAndSet(null, worker)) {
            workers.remove(worker);
        }
    }

    /** The next one that waits; none when the listener is aborted, as they are given up then. */
    private @Nullable PendingMessage poll() {
        if (aborted) {
            giveUpWaiting();
        }
        return waiting.poll();
    }

    private void giveUpWaiting() {
        for (PendingMessage work = waiting.poll(); work != null; work = waiting.poll()) {
            giveUp(work.message);
        }
    }

    private void giveUp(Message message) {
        givenUpWaiting.increment();
        discard(message);
    }

    void execute(Runnable task) {
        threads.execute(task);
    }

    ListenerMethod method() {
        return method;
    }

    ListenerSettings settings() {
        return settings;
    }

    boolean isAborted() {
        return aborted;
    }

    /** The method has done what it has to do with a message. */
    void handled(PendingMessage work) {
        counters.handled.increment();
        tellTime(work);
        done(work);
    }

    /** The message has failed, and is not tried again. */
    void failed(PendingMessage work, Throwable error) {
        if (aborted) {
            counters.discarded.increment();
        } else {
            counters.failed.increment();
            tellTime(work);
            failures.message(work.message, work.attempts, error);
        }
        done(work);
    }

    /** The work on a message begins. */
    void begun(PendingMessage work) {
        if (!counters.timers.isEmpty()) {
            work.begunNanos = System.nanoTime();
        }
    }

    private void tellTime(PendingMessage work) {
        if (!counters.timers.isEmpty() && work.begunNanos != 0) {
            long nanos = System.nanoTime() - work.begunNanos;
            counters.timers.forEach(timer -> timer.accept(nanos));
        }
    }

    private void done(PendingMessage work) {
        work.message.close();
        work.stream.done();
        leave();
    }

    /** A message whose work was about to begin when the listener was aborted. */
    void discard(PendingMessage work) {
        discard(work.message);
    }

    private void discard(Message message) {
        counters.discarded.increment();
        message.close();
        leave();
    }

    private void leave() {
        if (open.decrementAndGet() == 0) {
            grace.dispose();
            over.tryEmitEmpty();
        }
    }

    // ---- the end

    @Override
    public void stop() {
        for (MessageStream stream : streams) {
            if (stream.drain()) {
                leave();
            }
        }
        if (open.get() > 0) {
            waitFor(counters.received.sum(), MOST_GRACES);
        }
    }

    private void waitFor(long received, int graces) {
        grace.update(Mono.delay(GRACE).subscribe(passed -> {
            long now = counters.received.sum();
            if (now > received && graces > 1) {
                waitFor(now, graces - 1);
            } else {
                cancel();
            }
        }));
    }

    private void cancel() {
        for (MessageStream stream : streams) {
            if (stream.stop()) {
                leave();
            }
        }
    }

    @Override
    public void abort() {
        givenUpWorking = aborted ? givenUpWorking : busy.get();
        aborted = true;
        grace.dispose();
        cancel();
        workers.forEach(MessageListenerInvoker::abort);
        giveUpWaiting();
    }

    @Override
    public GivenUp givenUp() {
        return new GivenUp(givenUpWaiting.sum(), aborted ? givenUpWorking : 0);
    }

    @Override
    public Mono<Void> over() {
        return over.asMono();
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public int inFlight() {
        return busy.get();
    }

    @Override
    public Duration behind() {
        return waiting.isEmpty() || keptUp ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - behindNanos);
    }

    @Override
    public int waiting() {
        return waiting.size();
    }
}
