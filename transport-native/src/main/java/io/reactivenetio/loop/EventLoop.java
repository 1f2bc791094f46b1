// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.NativeAccess;
import io.reactivenetio.loop.fd.LoopFds;
import io.reactivenetio.loop.task.DelayQueue;
import io.reactivenetio.loop.task.LoopClock;
import io.reactivenetio.loop.thread.CloseWaits;
import io.reactivenetio.loop.thread.LoopThreads;
import io.reactivenetio.loop.thread.LoopWatchdog;
import io.reactivenetio.loop.thread.OwnThread;
import io.reactivenetio.loop.thread.Ownership;
import io.reactivenetio.loop.thread.SimulatedOwnership;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A single-threaded event loop over epoll(7) or io_uring(7), in the manner of NetIO-next: one thread serves file descriptors,
 * signals, timers, and tasks from other threads. A callback must not block; what it throws goes to {@link #onError}.
 *
 * <p>The loop belongs to the first thread that runs it: its own ({@link #start}), the caller's ({@link #run}), or that of some
 * other loop which polls it ({@link #poll}). Each turn runs the tasks of the inbox, the pollers, the end-of-turn tasks, and
 * then, after a sleep if there is nothing to do, the callbacks of the file descriptors that are ready.
 *
 * <p>Terminated, it runs every accepted task, then the close hooks, drops delayed tasks that are not due, and closes
 * its signals, timers, registrations and file descriptors. A loop that is never run has to be closed.
 */
public final class EventLoop implements AutoCloseable, Executor {
    private final LoopClock clock;
    private final EventLoopConfig config;
    private final Ownership ownership;
    private final List<Runnable> inits = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final LoopParts parts;
    /** Confined to the loop thread: false while an embedder's thread is outside {@link #poll}. */
    private boolean busy;
    private boolean embedded;

    private EventLoop(EventLoopConfig config, LoopFds opened, LoopClock clock, Ownership owner, @Nullable Runnable onWork,
            UnaryOperator<LoopIo> sockets) {
        this.config = config;
        this.clock = clock;
        ownership = owner;
        parts = new LoopParts(config, opened, clock, owner, onWork, this::wakeIfOutside, sockets);
    }

    /** A loop with default limits. Throws UncheckedIOException if no file descriptors are left. */
    public static EventLoop create(String name) {
        return create(EventLoopConfig.defaults().withName(name));
    }

    /** A loop that reads and writes over its own epoll. Throws as {@link #create(EventLoopConfig, UnaryOperator)} does. */
    public static EventLoop create(EventLoopConfig config) {
        return create(config, UnaryOperator.identity());
    }

    /**
     * A loop whose plain TCP backends read and write with what {@code io} makes of the loop's own {@link LoopIo}: one that wraps
     * it, or a wholly other one, such as that of a program's own loop, which embeds this one with {@link #poll}. What that
     * completes between two polls is worked off in the next, for which {@link #epollFd} becomes readable. Delayed tasks, signals
     * and libfabric's queues stay with the descriptors of this loop. Throws UncheckedIOException if no descriptors are left.
     *
     * @throws IllegalStateException if {@code config} asks for io_uring, and this machine does not have it, or has no descriptor
     *         left for it
     * @throws UnsupportedOperationException on another system than Linux
     * @throws IllegalCallerException if the JVM denies native access, see {@code --enable-native-access}
     */
    public static EventLoop create(EventLoopConfig config, UnaryOperator<LoopIo> io) {
        Objects.requireNonNull(config, "config");
        NativeAccess.require();
        LoopFds opened = LoopFds.open(config.mechanism().openRing());
        try {
            return new EventLoop(config, opened, LoopClock.KERNEL, new Ownership(), null, io);
        } catch (Throwable t) { // of the user's function, or no room in epoll
            opened.close();
            throw t;
        }
    }

    /** A loop whose turns {@link #simulatedTurn} takes. {@code onWork} is told of work that comes between two of them. */
    static EventLoop simulated(EventLoopConfig config, LoopClock clock, SimulatedOwnership owner, @Nullable Runnable onWork) {
        NativeAccess.require();
        owner.claim(Thread.currentThread());
        return new EventLoop(config, LoopFds.open(null), clock, owner, onWork, UnaryOperator.identity());
    }

    /**
     * Adds a callback that runs on the loop thread before any other, in the order added. A loop never run skips it.
     *
     * @throws IllegalStateException if the loop has been started
     */
    public void onInit(Runnable init) {
        Objects.requireNonNull(init, "init");
        synchronized (inits) {
            if (ownership.isClaimed()) {
                throw new IllegalStateException("The event loop has been started");
            }
            inits.add(init);
        }
    }

    /** Replaces the handler, called on the loop thread, of what callbacks throw, which is otherwise logged. Any thread. */
    public void onError(Consumer<? super Throwable> handler) {
        parts.failures.handleWith(handler);
    }

    /**
     * Adds a hook for resources confined to the loop. Hooks run on its thread when it terminates, the last added first, after all
     * accepted tasks and while its file descriptors are still open. Any thread.
     *
     * @throws IllegalStateException if the hooks have been run
     */
    public void onClose(Runnable hook) {
        parts.closeHooks.add(hook);
    }

    /** Removes a hook of {@link #onClose}, so that the loop does not hold what is closed before it. Nothing if it has run. */
    public void removeOnClose(Runnable hook) {
        parts.closeHooks.remove(hook);
    }

    /**
     * Runs the loop on the calling thread until it is terminated, and closes it. An interrupt of the thread changes nothing.
     *
     * @throws IllegalStateException if it has been run, started, polled or closed before
     * @throws java.io.UncheckedIOException if epoll_wait(2) fails; the loop is closed then
     */
    public void run() {
        claimFor(Thread.currentThread());
        runClaimed();
    }

    /**
     * Runs the loop on a thread of its own with the loop's name, and returns that thread. If the system has none, that is an
     * OutOfMemoryError, and the loop is closed. With a {@link EventLoopConfig#cpu}, waits until the thread runs there.
     *
     * @throws IllegalStateException if it has been run, started, polled or closed before
     * @throws IllegalArgumentException if the thread may not run on the CPU of the configuration; the loop is closed then
     */
    public Thread start() {
        OwnThread own = new OwnThread(config.name(), config.cpu(), config.daemon(), this::runClaimed, this::shutDownHere);
        claimFor(own.thread());
        try {
            own.thread().start();
        } catch (Throwable noThread) { // or whoever closes the loop would wait for it
            ownership.handTo(Thread.currentThread());
            shutDownHere();
            throw noThread;
        }
        own.requireBound();
        return own.thread();
    }

    /**
     * Asks the loop to end after the present turn, and returns at once. Tasks are rejected from now on; those accepted are
     * still run. Any thread, callbacks included, any number of times.
     */
    public void terminate() {
        parts.inbox.close();
    }

    /**
     * Terminates the loop and waits until it is closed; an interrupt does not end the wait, it is kept. On the loop thread it
     * only terminates, outside of {@link #poll} it closes at once. A loop that was never run is closed by the caller's thread.
     * If an embedder polls the loop, closing it from another thread needs one more poll; if the embedder's thread has ended, the
     * loop is closed by the caller's. Loops that close each other do not wait for each other: the last to try only terminates.
     */
    @Override
    public void close() {
        terminate();
        if (ownership.claim(Thread.currentThread())) {
            shutDownHere();
        } else if (clock.simulated()) {
            return; // the next turn closes it
        } else if (!inEventLoop()) {
            CloseWaits.await(ownership, closed, this::closeIfLeftBehind);
        } else if (!busy) {
            shutDown();
        }
    }

    /** Waits until the loop is closed. Returns false if that takes longer than {@code timeout}. */
    public boolean awaitTermination(Duration timeout) throws InterruptedException {
        return closed.await(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
    }

    /** True when the loop has terminated: everything is run and closed. Any thread. */
    public boolean isTerminated() {
        return closed.getCount() == 0;
    }

    /** True on the thread that runs this loop, until it has terminated. */
    public boolean inEventLoop() {
        return ownership.isOwner();
    }

    /** Whether a thread that has not ended runs this loop. Without one, a task that is accepted waits. Any thread. */
    public boolean hasThread() {
        return ownership.hasThread();
    }

    /** True if {@code thread} is running an event loop, or polls one that has not terminated. Any thread; one hash lookup. */
    public static boolean isLoopThread(Thread thread) {
        return LoopThreads.contains(thread);
    }

    /**
     * Runs a task on the loop thread, in the order accepted, never within this call. Any thread. The sleeping loop is woken
     * once for all tasks that arrive until it wakes.
     *
     * @throws RejectedExecutionException after {@link #terminate}. A task that was accepted is run exactly once
     */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task, "task");
        if (!parts.inbox.offer(task)) {
            throw new RejectedExecutionException("The event loop has terminated");
        }
    }

    /**
     * Runs a task once at the end of this turn, after all callbacks of the turn and before the loop sleeps. A task added by an
     * end-of-turn task runs in the same pass, or in the next turn, without sleep, when a pass adds more than the configured
     * number of tasks per turn. Allocates nothing.
     *
     * @throws IllegalStateException on any other thread than the loop's
     */
    public void atEndOfTurn(Runnable task) {
        ownership.requireOwner();
        parts.endOfTurn.add(task);
        wakeIfOutside();
    }

    /**
     * Runs a task on the loop thread after a delay; 0 or less means as soon as possible, still not within this call. By
     * deadline, and in the order of the calls when that is equal. All delays share one timer. Any thread.
     *
     * @throws RejectedExecutionException after {@link #terminate}; what is not due when the loop terminates is cancelled
     */
    public DelayedTask schedule(Runnable task, long delay, TimeUnit unit) {
        Objects.requireNonNull(task, "task");
        return parts.schedule(task, unit.toNanos(delay));
    }

    /** A delay of {@code task} that can be armed again and again, and costs no object then. Any thread; armed on the loop's. */
    public RepeatedDelay repeatedDelay(Runnable task) {
        return new RepeatedDelay(parts.delays, task);
    }

    /**
     * Watches a file descriptor that epoll supports, no regular file. Loop thread, or any one before the loop runs.
     *
     * @param events {@link FdRegistration#READABLE}, {@link FdRegistration#WRITABLE}, both, or 0 for none at present
     * @throws IllegalArgumentException for other events or a negative descriptor
     * @throws IllegalStateException on another thread, or when the loop has terminated
     * @throws java.io.UncheckedIOException if epoll_ctl(2) fails: a regular file, a descriptor that is registered or closed
     */
    public FdRegistration register(int fd, int events, FdHandler handler) {
        Objects.requireNonNull(handler, "handler");
        FdRegistration.requireKnown(events);
        if (fd < 0) {
            throw new IllegalArgumentException("File descriptor " + fd);
        }
        ownership.requireOwnerIfClaimed();
        return parts.epoll.add(fd, events, handler);
    }

    /**
     * Opens a signal whose fires coalesce. The callback, on the loop thread, is given {@code userData}. Any thread.
     *
     * @throws RejectedExecutionException when the loop has terminated
     * @throws java.io.UncheckedIOException if no file descriptors are left
     */
    public <T> Signal openSignal(T userData, Consumer<? super T> callback) {
        Objects.requireNonNull(callback, "callback");
        return Signal.open(parts.signals, false, () -> callback.accept(userData));
    }

    /** Opens a signal whose callback runs exactly as often as it is fired. Otherwise like {@link #openSignal}. */
    public <T> Signal openSemaphoreSignal(T userData, Consumer<? super T> callback) {
        Objects.requireNonNull(callback, "callback");
        return Signal.open(parts.signals, true, () -> callback.accept(userData));
    }

    /**
     * Opens a timer, stopped. The callback, on the loop thread, is given {@code userData}. Any thread.
     *
     * @throws RejectedExecutionException when the loop has terminated
     * @throws java.io.UncheckedIOException if no file descriptors are left
     */
    public <T> Timer openTimer(T userData, Consumer<? super T> callback) {
        Objects.requireNonNull(callback, "callback");
        return Timer.open(parts.timers, () -> callback.accept(userData));
    }

    /** The epoll descriptor, for an embedder to sleep on: readable when {@link #poll} has work. Valid until termination. */
    public int epollFd() {
        return parts.epoll.fd();
    }

    /**
     * Does one turn without blocking, on a thread that is someone else's loop. The first call makes the calling thread the
     * loop's thread. The embedder sleeps on {@link #epollFd()} after true, and calls again soon after false. After
     * {@link #terminate} the next call closes the loop; then, and ever after, it returns false.
     *
     * @return true if there is nothing to do until the epoll descriptor becomes readable
     * @throws IllegalStateException on another thread than before, from within a callback, or if the loop is run otherwise
     * @throws java.io.UncheckedIOException if no file descriptors are left for the first call; the loop is closed then
     */
    public boolean poll() {
        if (isTerminated()) {
            return false;
        }
        adopt();
        boolean maySleep = false;
        busy = true;
        try {
            parts.turn.await(false);
            maySleep = parts.turn.work(false) && !parts.wait.flush();
        } finally {
            busy = false;
        }
        if (parts.inbox.isClosed()) {
            shutDown();
            return false;
        }
        return maySleep;
    }

    /** Adds a poller, which every turn polls from now on. Loop thread, or any one before the loop runs. */
    public void addPoller(LoopPoller poller) {
        ownership.requireOwnerIfClaimed();
        parts.pollers.add(poller);
        wakeIfOutside();
    }

    /** Removes a poller, which is not called any more; nothing if it is not there. Loop thread, or any before the loop runs. */
    public void removePoller(LoopPoller poller) {
        ownership.requireOwnerIfClaimed();
        parts.pollers.remove(poller);
    }

    /**
     * Has an embedder {@link #poll} again. For a {@link LoopPoller} that finds work between two polls, of which the last one told
     * nothing, so that the embedder may sleep. Loop thread only.
     */
    public void pollAgain() {
        ownership.requireOwner();
        wakeIfOutside();
    }

    /** What the plain TCP backends read and write with. A loop that this one hosts may be given it too. Loop thread only. */
    public LoopIo io() {
        return parts.io;
    }

    /** Hands a failure to the handler of {@link #onError}, as if a callback of the loop had thrown it. Loop thread only. */
    public void report(Throwable failure) {
        parts.failures.report(failure);
    }

    /** Names what the loop works on until the next call, for the warning of a long turn; null for nothing. Loop thread only. */
    public void working(@Nullable Object on) {
        parts.turn.working(on);
    }

    /** The time in nanoseconds by which delays are due; virtual on a simulated loop. Good for differences only. Any thread. */
    public long nanoTime() {
        return clock.nanoTime();
    }

    /** When the present turn began, in terms of {@link #nanoTime}. Costs no look at a clock. Loop thread only. */
    public long turnNanos() {
        return parts.turn.startedNanos();
    }

    /** The loop's counters, live. Any thread. */
    public LoopStatistics statistics() {
        return parts.statistics;
    }

    @Override
    public String toString() {
        return "EventLoop " + config.name();
    }

    /** {@code tells} says whether work is told of that comes after it. The caller then looks for some that came before. */
    void simulatedTurn(boolean tells) {
        busy = true;
        parts.turn.begin();
        parts.delays.runDue();
        parts.turn.work(false);
        parts.turn.begin(); // nobody wakes a loop that does not sleep
        busy = false;
        if (parts.inbox.isClosed()) {
            shutDown();
        } else if (tells) {
            parts.wakeUp.sleep();
        }
    }

    boolean hasWork() {
        return !isTerminated() && parts.turn.hasWork();
    }

    DelayQueue delays() {
        return parts.delays;
    }

    private void claimFor(Thread thread) {
        synchronized (inits) {
            if (!ownership.claim(thread)) {
                throw new IllegalStateException(this + " has been run or closed before");
            }
        }
    }

    private void runClaimed() {
        LoopThreads.enter(Thread.currentThread());
        busy = true;
        LoopWatchdog.Watch watch = parts.turn.watched();
        try {
            begin();
            while (!parts.inbox.isClosed()) {
                parts.turn.awaitOrGoOn(parts.turn.work(true));
            }
        } finally {
            watch.close();
            shutDown();
        }
    }

    private void adopt() {
        if (!ownership.isClaimed()) {
            claimFor(Thread.currentThread());
            embedded = true;
            LoopThreads.enter(Thread.currentThread());
            busy = true;
            try {
                begin();
            } catch (Throwable t) { // or nobody could ever close it
                shutDown();
                throw t;
            }
            busy = false;
        }
        ownership.requireOwner();
        if (!embedded || busy) {
            throw new IllegalStateException(this + " is running already");
        }
    }

    private void begin() {
        parts.begin(embedded);
        inits.forEach(parts.failures::run);
    }

    private void wakeIfOutside() {
        if (!busy) { // an embedder's thread may be about to sleep on the strength of what the last poll said
            parts.wakeUp.wake();
        }
    }

    private void shutDown() {
        busy = true;
        try {
            parts.close();
        } finally {
            ownership.release();
            LoopThreads.exit(Thread.currentThread());
            closed.countDown();
        }
    }

    private void shutDownHere() {
        LoopThreads.enter(Thread.currentThread()); // which has not run the loop
        shutDown();
    }

    private void closeIfLeftBehind() {
        Thread gone = ownership.inherit();
        if (gone != null) {
            LoopThreads.inherit(gone);
            shutDown();
        }
    }
}
