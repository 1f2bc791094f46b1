// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop without a thread: who is on it, and what its driver is told. */
@Timeout(60)
class SimulatedLoopTest {
    private final List<String> log = new ArrayList<>();
    private final SimulatedLoop driven = new SimulatedLoop(EventLoopConfig.defaults(), () -> 1, () -> log.add("told"));
    private final EventLoop loop = driven.loop();

    @AfterEach
    void close() {
        loop.close();
        driven.turn();
    }

    @Test
    void shouldTellOfEachTaskBetweenTurns() {
        loop.execute(() -> log.add("first"));
        loop.execute(() -> log.add("second"));
        assertThat(log).containsExactly("told", "told");
        driven.turn();
        assertThat(log).containsExactly("told", "told", "first", "second");
        loop.schedule(() -> { }, 1, TimeUnit.SECONDS);
        assertThat(log).containsExactly("told", "told", "first", "second", "told");
    }

    @Test
    void shouldTellNothingOfWhatComesWithinATurn() {
        driven.turn();
        loop.execute(() -> loop.atEndOfTurn(() -> loop.execute(() -> log.add("inner"))));
        driven.turn();
        assertThat(driven.hasWork()).isTrue(); // which whoever takes the turns looks for
        driven.turn();
        assertThat(log).containsExactly("told", "inner");
        assertThat(driven.hasWork()).isFalse();
    }

    @Test
    void shouldTellOfItsEndAndEnd() {
        loop.close();
        assertThat(log).containsExactly("told");
        assertThat(loop.isTerminated()).isFalse();
        driven.turn();
        assertThat(loop.isTerminated()).isTrue();
        driven.turn();
        assertThat(EventLoop.isLoopThread(Thread.currentThread())).isFalse();
    }

    @Test
    void shouldTakeATurnWhenItIsTold() {
        List<String> ran = new ArrayList<>();
        SimulatedLoop[] eager = new SimulatedLoop[1];
        eager[0] = new SimulatedLoop(EventLoopConfig.defaults(), () -> 1, () -> eager[0].turn());
        for (int i = 0; i < 3; i++) {
            String name = "task " + i;
            eager[0].loop().execute(() -> ran.add(name));
            assertThat(ran).hasSize(i + 1).endsWith(name);
        }
        eager[0].loop().close();
        assertThat(eager[0].loop().isTerminated()).isTrue();
    }

    @Test
    void shouldBeOnTheLoopWithinATurnOnly() {
        Thread test = Thread.currentThread();
        List<Boolean> seen = new ArrayList<>();
        Runnable look = () -> {
            seen.add(loop.inEventLoop());
            seen.add(EventLoop.isLoopThread(test));
        };
        look.run();
        assertThat(seen).containsExactly(false, false);
        seen.clear();
        loop.execute(() -> {
            look.run();
            driven.asStranger(look);
            look.run();
        });
        driven.turn();
        assertThat(seen).containsExactly(true, true, false, false, true, true);
        seen.clear();
        loop.execute(() -> {
            Thread other = new Thread(() -> seen.add(loop.inEventLoop()));
            other.start();
            join(other);
        });
        driven.turn();
        look.run();
        assertThat(seen).containsExactly(false, false, false);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
