// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.spring.security.PeerScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
final class MessageListenerRun implements ListenerRun, MessageStream.Owner {
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
    private final WaitingMessages waiting = new WaitingMessages();
    private final Set<MessageListenerInvoker> workers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger busy = new AtomicInteger();
    /** One of the workers that have nothing to do, kept for the next message. */
    private final AtomicReference<@Nullable MessageListenerInvoker> spare = new AtomicReference<>();
    /** Messages that have left their turn, and one for each turn, each stream that has not ended, and a start in progress. */
    private final AtomicInteger open;
    /** Whether a worker has found nothing to do since {@link #behindNanos}. */
    private volatile boolean keptUp = true;
    /** When the first message had to wait after a worker had found nothing to do. */
    private volatile long behindNanos;
    private @Nullable ListenerTurn turn;
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
            streams.add(new MessageStream(tags, this, settings.demand()));
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

    // ---- messages that arrive

    /** A turn begins. False if the run is over. */
    boolean enter() {
        return open.getAndUpdate(now -> now == 0 ? 0 : now + 1) != 0;
    }

    @Override
    public MessageStream.Receiver receiver(MessageStream stream, @Nullable NetioConnection connection) {
        return connection == null ? message -> add(message, stream, PeerScope.of(null)) : turn(connection).receiver(stream);
    }

    /** Streams that share their connection share its turn. */
    private synchronized ListenerTurn turn(NetioConnection connection) {
        ListenerTurn last = turn;
        if (last != null && last.isOf(connection)) {
            return last;
        }
        ListenerTurn next = new ListenerTurn(this, connection, settings.peers().of(connection.principal()));
        next.init();
        turn = next;
        return next;
    }

    /** Takes a message that has no turn. */
    void add(Message message, MessageStream stream, PeerScope peer) {
        counters.received.increment();
        if (!enter()) { // it has come behind the end
            counters.discarded.increment();
            message.close();
            return;
        }
        if (aborted) {
            giveUp(message);
        } else {
            waits(WaitingMessages.Batch.of(new PendingMessage(message, stream, peer)));
        }
        stream.taken(1, 0);
        if (settings.blocks()) {
            startThreads(1);
        } else {
            work(null);
        }
        leave();
    }

    void count(int received, int handled) {
        counters.received.add(received);
        counters.handled.add(handled);
    }

    /** Claims a worker, which is to run at last. Returns null if there are as many as there may be. */
    @Nullable MessageListenerInvoker tryWorker() {
        return claim() ? worker() : null;
    }

    private MessageListenerInvoker worker() {
        MessageListenerInvoker worker = spare.getAndSet(null);
        if (worker == null) {
            worker = new MessageListenerInvoker(this);
            workers.add(worker);
        }
        return worker;
    }

    /** Messages wait for a worker. */
    void waits(WaitingMessages.Batch batch) {
        if (keptUp) { // the clock is not asked for each message
            behindNanos = System.nanoTime();
            keptUp = false;
        }
        open.addAndGet(batch.size());
        waiting.add(batch);
    }

    boolean isNoneWaiting() {
        return waiting.isEmpty();
    }

    /** Starts threads for so many messages, or fewer. */
    void startThreads(int messages) {
        for (int most = messages; most > 0 && claim(); most--) {
            execute(worker());
        }
    }

    /** Has {@code claimed}, if that is a worker, and others as far as needed work on what waits, on this thread. */
    void work(@Nullable MessageListenerInvoker claimed) {
        if (claimed != null) {
            claimed.run();
        }
        while (!isNoneWaiting() && claim()) {
            worker().run();
        }
    }

    /** A message is not done within its turn. */
    void leavesTurn(PendingMessage work) {
        if (work.turn != null) {
            work.turn = null;
            open.incrementAndGet();
        }
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
            leave();
        }
    }

    /** A message is here, and will not be worked on, because the listener was aborted. */
    void giveUp(Message message) {
        givenUpWaiting.increment();
        counters.discarded.increment();
        message.close();
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

    /** Returns when the work on a message begins, for {@link #handled} or {@link #failed}. */
    long begin() {
        return counters.begin();
    }

    boolean isAborted() {
        return aborted;
    }

    /** The method has done what it has to do with a message. */
    void handled(PendingMessage work, long begunNanos) {
        counters.tellTime(begunNanos);
        done(work, true);
    }

    /** The message has failed after so many attempts, and is not tried again. */
    void failed(PendingMessage work, int attempts, long begunNanos, Throwable error) {
        if (aborted) {
            counters.discarded.increment();
        } else {
            counters.failed.increment();
            counters.tellTime(begunNanos);
            failures.message(work.message, attempts, error);
        }
        done(work, false);
    }

    /** A message whose work was about to begin when the listener was aborted. */
    void discard(PendingMessage work) {
        counters.discarded.increment();
        done(work, false);
    }

    private void done(PendingMessage work, boolean handled) {
        work.message.close();
        if (work.turn != null) {
            work.turn.done(handled);
            return;
        }
        if (handled) {
            counters.handled.increment();
        }
        work.stream.done(1);
        leave();
    }

    void leave() {
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
