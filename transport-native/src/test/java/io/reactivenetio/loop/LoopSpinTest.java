// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import static io.reactivenetio.loop.LoopTesting.awaitEnd;
import static io.reactivenetio.loop.LoopTesting.awaitUntil;
import static io.reactivenetio.loop.LoopTesting.runOnLoop;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.Eventually;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Loops that look for work before they sleep. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoopSpinTest {
    @Test
    void shouldSpinInTrafficAndSleepInSilence() throws InterruptedException {
        EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withName("adaptive")
                .withAdaptiveSpinNanos(TimeUnit.MILLISECONDS.toNanos(20)));
        Bursts bursts = new Bursts();
        loop.addPoller(bursts);
        loop.start();
        long before = loop.statistics().turns();
        awaitUntil(() -> loop.statistics().spunNanos() > 0);
        bursts.end();
        awaitUntil(() -> isQuiet(loop));
        long spun = loop.statistics().spunNanos();
        long began = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            Thread.sleep(5); // the pauses of the load
            runOnLoop(loop, () -> { }); // sparse: not worth waiting for
        }
        assertThat(loop.statistics().spunNanos() - spun).as("ns of spinning with little to do")
                .isLessThan((System.nanoTime() - began) * 6 / 10);
        assertThat(loop.statistics().turns()).isGreaterThan(before);
        loop.close();
    }

    private static boolean isQuiet(EventLoop loop) {
        long spun = loop.statistics().spunNanos();
        return !Eventually.within(Duration.ofMillis(50), () -> loop.statistics().spunNanos() != spun);
    }

    /** Has something in every third poll at first, and keeps the loop from sleeping that long. */
    private static final class Bursts implements LoopPoller {
        private volatile boolean over;
        private int polls;

        @Override
        public int poll() {
            return !over && ++polls % 3 == 0 ? 1 : 0;
        }

        /** On a busy machine it may take a while until a loop finds work that comes often enough. */
        void end() {
            over = true;
        }

        @Override
        public boolean mayWait() {
            return over;
        }
    }

    @Test
    void shouldEndAtOnceWhileItSpins() {
        EventLoop loop = EventLoop.create(EventLoopConfig.defaults().withName("spinning").withSpinNanos(Long.MAX_VALUE));
        loop.start();
        awaitUntil(() -> loop.statistics().spunNanos() > 1_000_000);
        assertThat(loop.statistics().wakeUpsWritten()).isLessThanOrEqualTo(1);
        long begun = System.nanoTime();
        loop.close();
        awaitEnd(loop);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
        assertThat(loop.statistics().toString()).contains("spunNanos=");
    }
}
