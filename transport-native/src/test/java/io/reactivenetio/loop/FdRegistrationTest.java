// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.eventfd;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static io.reactivenetio.loop.LoopTesting.writeOne;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.ffm.LibC;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FdRegistrationTest {
    private final EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withName("fds").withMaxEventsPerTurn(8));
    private final List<Integer> fds = new ArrayList<>();

    @AfterEach
    void close() {
        loop.close();
        fds.forEach(LibC::close);
    }

    private int newEventfd(int initial) {
        int fd = eventfd(initial);
        fds.add(fd);
        return fd;
    }

    @Test
    void shouldTellWhatIsReadyInEveryTurn() {
        AtomicInteger calls = new AtomicInteger();
        loop.register(newEventfd(1), FdRegistration.READABLE | FdRegistration.WRITABLE, events -> {
            assertThat(events).isEqualTo(FdRegistration.READABLE | FdRegistration.WRITABLE);
            if (calls.incrementAndGet() == 3) {
                loop.terminate();
            }
        });
        loop.run();
        assertThat(calls).hasValue(3);
        assertThat(loop.statistics().userExceptions()).isZero();
    }

    @Test
    void shouldServeAllEvenlyWithFewEventsPerTurn() {
        int[] calls = new int[200];
        AtomicInteger total = new AtomicInteger();
        for (int i = 0; i < calls.length; i++) {
            int number = i;
            loop.register(newEventfd(1), FdRegistration.READABLE, events -> {
                calls[number]++;
                if (total.incrementAndGet() == 200 * 50) {
                    loop.terminate();
                }
            });
        }
        loop.run();
        for (int count : calls) {
            assertThat(count).isBetween(48, 52);
        }
    }

    @Test
    void shouldNotCallAHandlerRemovedInTheSameBatch() {
        AtomicInteger calls = new AtomicInteger();
        FdRegistration[] registrations = new FdRegistration[2];
        for (int i = 0; i < 2; i++) {
            registrations[i] = loop.register(newEventfd(1), FdRegistration.READABLE, events -> {
                calls.incrementAndGet();
                registrations[0].close();
                registrations[1].close();
                loop.execute(() -> loop.execute(loop::terminate));
            });
        }
        loop.run();
        assertThat(calls).hasValue(1);
    }

    @Test
    void shouldNotTakeAnEventForTheSuccessorOfAClosedRegistration() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger successorCalls = new AtomicInteger();
        int silent = newEventfd(0);
        FdRegistration[] registrations = new FdRegistration[2];
        for (int i = 0; i < 2; i++) {
            int other = 1 - i;
            registrations[i] = loop.register(newEventfd(1), FdRegistration.READABLE, events -> {
                calls.incrementAndGet();
                registrations[other].close();
                // Takes the table entry of the closed one, whose event is in the batch still.
                FdRegistration successor = loop.register(silent, FdRegistration.READABLE, e -> successorCalls.incrementAndGet());
                assertThat(successor.index()).isEqualTo(registrations[other].index());
                registrations[1 - other].close();
                loop.execute(() -> loop.execute(loop::terminate));
            });
        }
        loop.run();
        assertThat(calls).hasValue(1);
        assertThat(successorCalls).hasValue(0);
    }

    @Test
    void shouldLeaveEpollWithoutInterestAndComeBack() {
        List<String> order = new ArrayList<>();
        FdRegistration[] registration = new FdRegistration[1];
        registration[0] = loop.register(newEventfd(1), FdRegistration.READABLE, events -> {
            order.add("ready " + events);
            if (order.size() > 1) {
                loop.terminate();
                return;
            }
            registration[0].modify(0);
            loop.schedule(() -> {
                order.add("back");
                registration[0].modify(FdRegistration.WRITABLE);
            }, 10, TimeUnit.MILLISECONDS);
        });
        loop.run();
        assertThat(order).containsExactly("ready 1", "back", "ready 4");
    }

    @Test
    void shouldReportNoMoreThanIsAskedForNow() {
        AtomicInteger calls = new AtomicInteger();
        FdRegistration[] registrations = new FdRegistration[2];
        for (int i = 0; i < 2; i++) {
            registrations[i] = loop.register(newEventfd(1), FdRegistration.READABLE, events -> {
                calls.incrementAndGet();
                registrations[0].modify(0);
                registrations[1].modify(0);
                loop.execute(() -> loop.execute(loop::terminate));
            });
        }
        loop.run();
        assertThat(calls).hasValue(1);
    }

    @Test
    void shouldRegisterOnTheRunningLoopOnlyOnItsThread() {
        FdRegistration early = loop.register(newEventfd(0), FdRegistration.READABLE, events -> { });
        loop.start();
        int fd = newEventfd(0);
        AtomicInteger calls = new AtomicInteger();
        assertThatIllegalStateException().isThrownBy(() -> loop.register(fd, FdRegistration.READABLE, events -> { }));
        assertThatIllegalStateException().isThrownBy(() -> early.modify(0));
        assertThatIllegalStateException().isThrownBy(early::close);
        FdRegistration[] late = new FdRegistration[1];
        runOnLoop(loop, () -> late[0] = loop.register(fd, FdRegistration.READABLE, events -> {
            calls.incrementAndGet();
            late[0].close();
            late[0].close();
        }));
        writeOne(fd);
        LoopTesting.awaitUntil(() -> calls.get() == 1);
        runOnLoop(loop, () -> assertThatIllegalStateException().isThrownBy(() -> late[0].modify(1)));
        loop.close();
        early.close();
    }

    @Test
    void shouldRefuseWhatEpollRefuses() {
        int fd = newEventfd(0);
        loop.register(fd, FdRegistration.READABLE, events -> { });
        assertThatThrownBy(() -> loop.register(fd, FdRegistration.READABLE, events -> { }))
                .isInstanceOf(UncheckedIOException.class).hasMessageContaining("epoll_ctl: File exists");
        assertThatThrownBy(() -> loop.register(1_000_000, FdRegistration.READABLE, events -> { }))
                .isInstanceOf(UncheckedIOException.class);
        assertThatIllegalArgumentException().isThrownBy(() -> loop.register(-1, FdRegistration.READABLE, events -> { }));
        assertThatIllegalArgumentException().isThrownBy(() -> loop.register(fd, 0x2000, events -> { }));
    }

    @Test
    void shouldReuseTableEntries() {
        for (int round = 0; round < 3; round++) {
            List<FdRegistration> many = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                many.add(loop.register(newEventfd(0), FdRegistration.READABLE, events -> { }));
            }
            assertThat(many).allMatch(registration -> registration.index() < 110);
            many.forEach(FdRegistration::close);
        }
    }
}
