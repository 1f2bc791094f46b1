// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.ffm.fabric.FiError;
import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.loop.LoopPoller;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The places of event and completion queues in a loop, over real queues nothing ever arrives in. */
@Timeout(60)
class QueuesTest {
    private static final int UNKNOWN = Fi.FI_EOTHER;
    private static final int STARVED = 1_000;
    /** From libfabric 1.18 on the kernel allows at most a hundred such queues with descriptors, see {@link WaitNoneQueues}. */
    private static final int STARVED_NESTED = 50;

    private final List<Throwable> reported = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private EventLoop loop;
    private FiInfo info;
    private FiFabric fabric;
    private boolean starved;
    private boolean sending;
    private int manyStarved;

    @BeforeEach
    void start() throws Exception {
        LibFabric library = LibFabric.load();
        manyStarved = WaitNoneQueues.usedBy(library, "tcp") ? STARVED_NESTED : STARVED;
        info = new AddressSelection(library, "tcp").local(new InetSocketAddress("127.0.0.1", 0));
        fabric = library.openFabric(info);
        loop = EventLoop.create("queues");
        loop.onError(reported::add);
        loop.start();
    }

    @AfterEach
    void stop() {
        loop.close();
        fabric.close();
        info.close();
    }

    private <T> T on(Supplier<T> code) {
        return CompletableFuture.supplyAsync(code, loop).orTimeout(20, TimeUnit.SECONDS).join();
    }

    private void run(Runnable code) {
        on(() -> {
            code.run();
            return true;
        });
    }

    private final class QueueOwner implements CompletionQueue.Owner {
        @Override
        public void onCompletion(long context, long length) {
            told.add("completion");
        }

        @Override
        public void onError(FiError error) {
            told.add("error");
        }

        @Override
        public void onQueueFailed(int code) {
            told.add("broken " + code);
        }

        @Override
        public void onBatchEnd() {
            told.add("batch");
        }

        @Override
        public boolean starved() {
            return starved;
        }

        @Override
        public boolean sending() {
            return sending;
        }

        @Override
        public boolean sharesReceives() {
            return false;
        }
    }

    /** Keeps the loop busy for a number of turns. */
    private void keepBusy(int turns) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        run(() -> loop.addPoller(new LoopPoller() {
            private int left = turns;

            @Override
            public int poll() {
                if (--left == 0) {
                    done.complete(true);
                    loop.removePoller(this);
                }
                return 1;
            }

            @Override
            public boolean mayWait() {
                return false;
            }
        }));
        done.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private List<CompletionQueue> openActive(FiDomain domain, CompletionQueues queues, int number) {
        return on(() -> {
            loop.addPoller(queues);
            List<CompletionQueue> opened = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                opened.add(queues.open(domain, 8, new QueueOwner()));
            }
            opened.forEach(CompletionQueue::activate);
            return opened;
        });
    }

    @Test
    void shouldArmManyEmptyQueuesThoughTheLoopIsBusy() {
        FiDomain domain = fabric.openDomain(info);
        CompletionQueues queues = new CompletionQueues(loop, fabric);
        run(() -> loop.addPoller(new LoopPoller() { // never lets the loop ask whether it may wait
            @Override
            public int poll() {
                return 1;
            }

            @Override
            public boolean mayWait() {
                return false;
            }
        }));
        List<CompletionQueue> opened = openActive(domain, queues, 20);
        keepBusy(1_000);
        assertThat(on(() -> opened.stream().map(queue -> queue.state).distinct().toList()))
                .containsExactly(CompletionQueue.State.ARMED);
        assertThat(on(() -> {
            opened.forEach(CompletionQueue::activate);
            return opened.stream().map(queue -> queue.state).distinct().toList(); // in one task: the loop turns on meanwhile
        })).containsExactly(CompletionQueue.State.ACTIVE);
        keepBusy(1_000);
        assertThat(told).isEmpty();
        run(() -> opened.forEach(CompletionQueue::close));
        keepBusy(10);
        domain.close();
    }

    @Test
    void shouldTellOnceThatACompletionQueueCannotBeWaitedFor() {
        FiDomain domain = fabric.openDomain(info);
        CompletionQueues queues = new CompletionQueues(loop, fabric) {
            @Override
            int tryWait(CompletionQueue queue) {
                return -UNKNOWN;
            }
        };
        List<CompletionQueue> opened = openActive(domain, queues, 1);
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(told))).containsExactly("broken " + UNKNOWN);
        run(() -> opened.forEach(CompletionQueue::close));
        domain.close();
        assertThat(reported).isEmpty();
    }

    /** From libfabric 1.18 on the event queue's descriptor tells for all, and the others have none. */
    @Test
    void shouldReadTheSilentQueueThatSomethingCameInto() {
        FiDomain domain = fabric.openDomain(info);
        ConnectionEvents events = on(() -> new ConnectionEvents(loop, fabric, true));
        List<CompletionQueue> filled = new ArrayList<>();
        List<CompletionQueue> woken = new ArrayList<>();
        CompletionQueues queues = new CompletionQueues(loop, fabric, events) {
            @Override
            int tryWait(CompletionQueue queue) {
                if (filled.remove(queue)) {
                    woken.add(queue);
                    return -Fi.FI_EAGAIN;
                }
                return 0;
            }
        };
        List<CompletionQueue> opened = openActive(domain, queues, 200);
        assertThat(opened).noneMatch(queue -> queue.queue().hasFd());
        shouldBeQuiet();
        assertThat(on(() -> opened.stream().map(queue -> queue.state).distinct().toList()))
                .containsExactly(CompletionQueue.State.ARMED);
        for (int i : new int[] {0, 199, 100}) {
            run(() -> filled.add(opened.get(i)));
            shouldBeQuiet();
        }
        run(() -> { // and where the loop does not come to rest
            filled.add(opened.get(50));
            filled.add(opened.get(51));
        });
        keepBusy(100);
        assertThat(on(() -> List.copyOf(woken))).startsWith(opened.get(0), opened.get(199), opened.get(100)).hasSize(5);
        run(() -> opened.subList(0, 100).forEach(CompletionQueue::close));
        run(() -> filled.add(opened.get(150)));
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(woken))).endsWith(opened.get(150)).hasSize(6);
        run(() -> {
            opened.forEach(CompletionQueue::close);
            events.stop();
            events.close();
        });
        domain.close();
        assertThat(told).isEmpty();
        assertThat(reported).isEmpty();
    }

    @Test
    void shouldLetAQueueRestWhileTheLoopIsAboutToEnd() {
        starved = true;
        FiDomain domain = fabric.openDomain(info);
        CompletionQueues queues = new CompletionQueues(loop, fabric) {
            @Override
            int tryWait(CompletionQueue queue) {
                loop.terminate(); // as another thread may at any time
                return -Fi.FI_EAGAIN;
            }
        };
        List<CompletionQueue> opened = openActive(domain, queues, 1);
        loop.close();
        opened.forEach(CompletionQueue::close);
        domain.close();
        assertThat(reported).isEmpty();
    }

    /** As tcp 1.17 answers while data waits and no receive is posted. */
    private CompletionQueues neverQuiet(List<CompletionQueue> asked) {
        return new CompletionQueues(loop, fabric) {
            @Override
            int tryWait(CompletionQueue queue) {
                asked.add(queue);
                return -Fi.FI_EAGAIN;
            }
        };
    }

    private void pause(long millis) {
        CompletableFuture<Boolean> later = new CompletableFuture<>();
        loop.schedule(() -> later.complete(true), millis, TimeUnit.MILLISECONDS);
        later.orTimeout(20, TimeUnit.SECONDS).join();
    }

    /** Rests double from 1 ms to 1 s, so a slower machine looks less often, never more. */
    private static void expectFew(long looks, int queues, double seconds) {
        assertThat((double) looks).as("looks at %s queues in %s s", queues, seconds)
                .isLessThanOrEqualTo(queues * (12 + 1.1 * seconds));
    }

    @Test
    void shouldLookSeldomAtAThousandStarvedQueues() {
        starved = true;
        FiDomain domain = fabric.openDomain(info);
        List<CompletionQueue> asked = new ArrayList<>();
        CompletionQueues queues = neverQuiet(asked);
        long began = System.nanoTime();
        List<CompletionQueue> opened = openActive(domain, queues, manyStarved);
        pause(2_000);
        long looks = on(asked::size);
        expectFew(looks, manyStarved, (System.nanoTime() - began) / 1e9);
        run(() -> opened.forEach(CompletionQueue::close));
        domain.close();
    }

    @Test
    void shouldLeaveStarvedQueuesAloneWhenAnotherHasSomethingToDo() {
        starved = true;
        FiDomain domain = fabric.openDomain(info);
        List<CompletionQueue> asked = new ArrayList<>();
        CompletionQueues queues = neverQuiet(asked);
        long began = System.nanoTime();
        List<CompletionQueue> opened = openActive(domain, queues, manyStarved);
        CompletionQueue busy = opened.getFirst();
        for (int i = 0; i < 500; i++) {
            run(busy::activate);
            await(() -> on(() -> busy.state) == CompletionQueue.State.RESTING);
        }
        long others = on(() -> asked.stream().filter(queue -> queue != busy).count());
        assertThat(on(asked::size) - others).isGreaterThanOrEqualTo(500);
        expectFew(others, manyStarved, (System.nanoTime() - began) / 1e9);
        run(() -> opened.forEach(CompletionQueue::close));
        domain.close();
    }

    @Test
    void shouldReadAStarvedQueueOnceWhileTheLoopIsBusy() {
        starved = true;
        FiDomain domain = fabric.openDomain(info);
        CompletionQueues queues = neverQuiet(new ArrayList<>());
        List<CompletionQueue> opened = openActive(domain, queues, 100);
        keepBusy(1_000);
        await(() -> on(() -> opened.stream().allMatch(queue -> queue.state == CompletionQueue.State.RESTING)));
        long before = on(queues::reads);
        run(() -> opened.forEach(queues::readOnce));
        keepBusy(1_000);
        assertThat(on(queues::reads) - before).isLessThan(100 * 10 + 1_000 * 8); // and a few that are active cost less than they
        run(() -> opened.forEach(CompletionQueue::close));
        domain.close();
    }

    @Test
    void shouldLookMoreOftenWhileSendsAreUnderWay() {
        starved = true;
        sending = true;
        FiDomain domain = fabric.openDomain(info);
        List<CompletionQueue> asked = new ArrayList<>();
        List<CompletionQueue> opened = openActive(domain, neverQuiet(asked), 1);
        pause(500);
        run(asked::clear);
        await(() -> on(asked::size) >= 10);
        run(() -> opened.forEach(CompletionQueue::close));
        domain.close();
    }

    @Test
    void shouldLookAtAQueueThatCannotBeWatched() {
        FiDomain domain = fabric.openDomain(info);
        CompletionQueues queues = new CompletionQueues(loop, fabric);
        List<CompletionQueue> opened = on(() -> {
            loop.addPoller(queues);
            List<CompletionQueue> three = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                three.add(queues.open(domain, 8, new QueueOwner()));
            }
            loop.register(three.get(1).queue().fd(), FdRegistration.READABLE, events -> { }); // and so it cannot be once more
            three.forEach(CompletionQueue::activate);
            return three;
        });
        await(() -> on(() -> opened.get(1).state) == CompletionQueue.State.RESTING);
        shouldBeQuiet();
        assertThat(on(() -> opened.get(0).state)).isEqualTo(CompletionQueue.State.ARMED);
        assertThat(on(() -> opened.get(2).state)).isEqualTo(CompletionQueue.State.ARMED);
        long before = on(queues::reads);
        await(() -> on(queues::reads) > before + 3);
        assertThat(on(() -> List.copyOf(reported))).singleElement()
                .satisfies(e -> assertThat(e).isInstanceOf(UncheckedIOException.class));
        run(() -> opened.forEach(CompletionQueue::close));
        domain.close();
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("in time").isNegative();
            Thread.onSpinWait();
        }
    }

    /** A loop that spins makes hundreds of thousands of turns in this time. */
    private void shouldBeQuiet() {
        run(() -> { });
        long before = loop.statistics().turns();
        pause(100);
        assertThat(loop.statistics().turns() - before).isLessThan(100);
    }
}
