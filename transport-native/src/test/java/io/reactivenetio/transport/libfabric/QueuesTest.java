// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiDomain;
import io.reactivenetio.ffm.FiError;
import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopPoller;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The places of event and completion queues in a loop, over real queues nothing ever arrives in. */
@Timeout(60)
class QueuesTest {
    private static final int UNKNOWN = Fi.FI_EOTHER;

    private final List<Throwable> reported = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private EventLoop loop;
    private FiInfo info;
    private FiFabric fabric;
    private boolean starved;

    @BeforeEach
    void start() throws Exception {
        LibFabric library = LibFabric.load();
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
        public void onBroken(int code) {
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
        public boolean sharesReceives() {
            return false;
        }
    }

    private final class EventOwner implements ConnectionEvents.Owner {
        @Override
        public void onRequest(FiInfo request) {
            told.add("request");
        }

        @Override
        public void onConnected(byte[] data) {
            told.add("connected");
        }

        @Override
        public void onShutdown() {
            told.add("shutdown");
        }

        @Override
        public void onFailure(int code, String text) {
            told.add("failure");
        }

        @Override
        public void onBroken(int code) {
            told.add("broken " + code);
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

    /** As the kernel may refuse its descriptor. The other queues must not be left half settled, with a failure in each turn. */
    @Test
    void shouldTellOnceThatACompletionQueueHasNothingToWaitFor() {
        FiDomain domain = fabric.openDomain(info);
        CompletionQueues queues = new CompletionQueues(loop, fabric) {
            private int refused;

            @Override
            int tryWait(CompletionQueue queue) {
                if (refused++ == 0) {
                    queue.queue().close();
                    return 0;
                }
                return super.tryWait(queue);
            }
        };
        List<CompletionQueue> opened = openActive(domain, queues, 3);
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(told))).containsExactly("broken " + Fi.FI_EIO);
        assertThat(on(() -> List.copyOf(reported))).hasSize(1);
        assertThat(on(() -> opened.stream().map(queue -> queue.state).toList())).containsExactlyInAnyOrder(
                CompletionQueue.State.ARMED, CompletionQueue.State.ARMED, CompletionQueue.State.RESTING);
        run(() -> opened.forEach(CompletionQueue::close));
        domain.close();
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

    @Test
    void shouldTellOnceThatAnEventQueueCannotBeRead() {
        failing(-UNKNOWN, 0);
    }

    @Test
    void shouldTellOnceThatAnEventQueueCannotBeWaitedFor() {
        failing(-Fi.FI_EAGAIN, -UNKNOWN);
    }

    /** With verbs it may be about one connection that cannot be made, and does not say which. */
    @Test
    void shouldSurviveAFailureThatDoesNotLast() {
        ConnectionEvents events = on(() -> {
            ConnectionEvents created = new ConnectionEvents(loop, fabric) {
                private int reads;

                @Override
                int readEvent() {
                    return ++reads % 2 == 1 && reads < 100 ? -UNKNOWN : super.readEvent();
                }
            };
            created.add(1, new EventOwner());
            created.start();
            return created;
        });
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(told))).isEmpty();
        assertThat(on(() -> List.copyOf(reported))).isEmpty();
        run(() -> {
            events.stop();
            events.close();
        });
    }

    /** Whatever it tells, it costs neither memory nor a CPU, and the log says it once. */
    @Test
    void shouldNotFollowAnEventThatRepeats() {
        repeating(Fi.FI_SHUTDOWN);
        repeating(-Fi.FI_EAVAIL);
    }

    private void repeating(int event) {
        reported.clear();
        ConnectionEvents events = on(() -> {
            ConnectionEvents created = new ConnectionEvents(loop, fabric) {
                @Override
                int readEvent() {
                    return event; // of an object that is not there
                }

                @Override
                int tryWait() {
                    return -Fi.FI_EAGAIN;
                }
            };
            created.add(1, new EventOwner());
            created.start();
            return created;
        });
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(told))).isEmpty();
        assertThat(on(() -> List.copyOf(reported))).singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining("event " + event));
        run(() -> {
            events.stop();
            events.close();
        });
    }

    private void failing(int read, int tryWait) {
        ConnectionEvents events = on(() -> {
            ConnectionEvents created = new ConnectionEvents(loop, fabric) {
                private boolean failed;
                private int reads;

                @Override
                int readEvent() {
                    if (read != -Fi.FI_EAGAIN) {
                        assertThat(++reads).as("read again and again").isLessThanOrEqualTo(8);
                    }
                    return read;
                }

                @Override
                int tryWait() {
                    assertThat(failed).as("waited for again").isFalse();
                    failed = tryWait != 0;
                    return tryWait;
                }
            };
            created.add(1, new EventOwner());
            created.add(2, new EventOwner());
            created.start();
            return created;
        });
        shouldBeQuiet();
        assertThat(on(() -> List.copyOf(told))).containsExactly("broken " + UNKNOWN, "broken " + UNKNOWN);
        assertThat(on(() -> List.copyOf(reported))).singleElement()
                .satisfies(e -> assertThat(e).hasMessageContaining(String.valueOf(UNKNOWN)));
        run(() -> {
            assertThatIllegalStateException().isThrownBy(() -> events.add(3, new EventOwner()));
            events.remove(1);
            events.stop();
            events.close();
        });
    }

    /** A loop that spins makes hundreds of thousands of turns in this time. */
    private void shouldBeQuiet() {
        run(() -> { });
        long before = loop.statistics().turns();
        CompletableFuture<Boolean> later = new CompletableFuture<>();
        loop.schedule(() -> later.complete(true), 100, TimeUnit.MILLISECONDS);
        later.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(loop.statistics().turns() - before).isLessThan(100);
    }
}
