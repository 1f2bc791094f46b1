// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.loop.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits for a loop, and how long. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopCallTest {
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONG = TimeUnit.SECONDS.toNanos(60);

    @Test
    void shouldNotWaitForALoopThatNobodyRuns() {
        EventLoop loop = EventLoop.create("never run");
        List<String> done = new ArrayList<>();
        assertThatIllegalStateException().isThrownBy(() -> LoopCall.run(loop, SHORT, () -> {
            done.add("task");
            return "late";
        }, done::add, () -> done.add("instead")))
                .withMessageContaining("no thread runs EventLoop never run");
        loop.close(); // runs what it has accepted
        assertThat(done).containsExactly("instead");
        assertThatThrownBy(() -> LoopCall.run(loop, SHORT, () -> "never", done::add, () -> done.add("never")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(done).hasSize(1);
    }

    @Test
    void shouldWaitForALoopThatIsBusyForLonger() {
        try (EventLoop loop = EventLoop.create("busy")) {
            loop.execute(() -> { // the patience ends more than once meanwhile
                long began = System.nanoTime();
                while (System.nanoTime() - began < 10 * SHORT) {
                    Thread.onSpinWait();
                }
            });
            loop.start();
            List<Integer> undone = new ArrayList<>();
            assertThat(LoopCall.run(loop, SHORT, () -> 7, undone::add, () -> undone.add(0))).isEqualTo(7);
            assertThat(undone).isEmpty();
        }
    }

    @Test
    void shouldWaitForALoopThatStartsLater() {
        try (EventLoop loop = EventLoop.create("later")) {
            Thread caller = Thread.currentThread();
            Thread.ofPlatform().daemon().start(() -> {
                while (caller.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                loop.start();
            });
            assertThat(LoopCall.run(loop, LONG, () -> 7, seven -> { }, () -> { })).isEqualTo(7);
        }
    }

    @Test
    void shouldThrowWhatTheTaskThrows() {
        try (EventLoop loop = EventLoop.create("throwing")) {
            loop.start();
            IllegalArgumentException thrown = new IllegalArgumentException("its own");
            assertThatThrownBy(() -> LoopCall.run(loop, LONG, () -> {
                throw thrown;
            }, nothing -> { }, () -> { })).isSameAs(thrown);
        }
    }
}
