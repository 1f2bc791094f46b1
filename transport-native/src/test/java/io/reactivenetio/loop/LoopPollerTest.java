// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopPollerTest {
    /** Has work for the first {@code work} polls, refuses to wait for the next {@code refusals} questions. */
    private static class CountingPoller implements LoopPoller {
        final AtomicInteger polls = new AtomicInteger();
        final AtomicInteger questions = new AtomicInteger();
        private final int work;
        private final int refusals;

        CountingPoller(int work, int refusals) {
            this.work = work;
            this.refusals = refusals;
        }

        @Override
        public int poll() {
            return polls.incrementAndGet() <= work ? 1 : 0;
        }

        @Override
        public boolean mayWait() {
            return questions.incrementAndGet() > refusals;
        }
    }

    @Test
    void shouldNotSleepWhileAPollerWorksOrRefuses() {
        EventLoop loop = EventLoop.create("poller");
        AtomicBoolean agreed = new AtomicBoolean();
        CountingPoller poller = new CountingPoller(100, 50) {
            @Override
            public boolean mayWait() {
                boolean agrees = super.mayWait();
                if (agrees && !agreed.getAndSet(true)) {
                    loop.schedule(loop::terminate, 50, TimeUnit.MILLISECONDS);
                }
                return agrees;
            }
        };
        loop.addPoller(poller);
        loop.run();
        assertThat(poller.polls.get()).isGreaterThanOrEqualTo(150);
        // Asleep once it agreed: far fewer turns than 50 ms of spinning would give.
        assertThat(loop.statistics().turns()).isLessThan(200);
    }

    @Test
    void shouldSpinBeforeSleeping() {
        EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withName("spin").withSpinNanos(5_000_000));
        AtomicLong first = new AtomicLong();
        AtomicLong asked = new AtomicLong();
        CountingPoller poller = new CountingPoller(0, 0) {
            @Override
            public int poll() {
                first.compareAndSet(0, System.nanoTime());
                return super.poll();
            }

            @Override
            public boolean mayWait() {
                if (asked.compareAndSet(0, System.nanoTime())) {
                    loop.terminate();
                }
                return super.mayWait();
            }
        };
        loop.addPoller(poller);
        loop.run();
        assertThat(asked.get() - first.get()).as("ns of spinning").isGreaterThanOrEqualTo(5_000_000);
        assertThat(poller.polls.get()).isGreaterThan(1);
    }

    @Test
    void shouldServeDescriptorsSoonWhileAPollerWorksWithoutEnd() {
        EventLoop loop = EventLoop.create("busy");
        AtomicInteger fired = new AtomicInteger();
        Signal signal = loop.openSemaphoreSignal("", nothing -> {
            if (fired.incrementAndGet() == 100) {
                loop.terminate();
            }
        });
        CountingPoller poller = new CountingPoller(Integer.MAX_VALUE, 0) {
            @Override
            public int poll() {
                if (polls.get() % 1000 == 0) {
                    signal.fire(); // from the loop itself: nothing but epoll tells of it
                }
                return super.poll();
            }
        };
        loop.addPoller(poller);
        loop.run();
        assertThat(fired.get()).isGreaterThanOrEqualTo(100);
    }

    @Test
    void shouldCopeWithPollersThatComeAndGoWhilePolled() {
        EventLoop loop = EventLoop.create("come and go");
        CountingPoller last = new CountingPoller(0, 0) {
            @Override
            public int poll() {
                if (super.poll() + polls.get() >= 3) {
                    loop.terminate();
                }
                return 1; // there is more to do until then
            }
        };
        CountingPoller removed = new CountingPoller(0, 0);
        CountingPoller added = new CountingPoller(0, 0);
        loop.addPoller(new CountingPoller(0, 0) {
            @Override
            public int poll() {
                loop.removePoller(this);
                loop.removePoller(removed);
                loop.addPoller(added);
                return 1;
            }
        });
        loop.addPoller(removed);
        loop.addPoller(last);
        loop.run();
        assertThat(removed.polls).hasValue(0);
        assertThat(last.polls.get()).isEqualTo(added.polls.get()).isGreaterThan(1);
    }

    @Test
    void shouldBeConfinedToTheLoop() {
        try (EventLoop loop = EventLoop.create("confined")) {
            loop.start();
            CountingPoller poller = new CountingPoller(0, 0);
            assertThatIllegalStateException().isThrownBy(() -> loop.addPoller(poller));
            assertThatIllegalStateException().isThrownBy(() -> loop.removePoller(poller));
            runOnLoop(loop, () -> {
                loop.addPoller(poller);
                loop.removePoller(poller);
                loop.removePoller(poller);
            });
        }
    }
}
