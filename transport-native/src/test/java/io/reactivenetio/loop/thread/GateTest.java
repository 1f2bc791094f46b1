// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import static io.reactivenetio.loop.LoopTesting.join;
import static io.reactivenetio.loop.LoopTesting.startThreads;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.LoopTesting;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GateTest {
    @Test
    void shouldLetNobodyInOnceClosed() {
        Gate gate = new Gate();
        assertThat(gate.enter()).isTrue();
        assertThat(gate.close()).isTrue();
        assertThat(gate.close()).isFalse();
        assertThat(gate.isClosed()).isTrue();
        assertThat(gate.isClosedAndEmpty()).isFalse();
        assertThat(gate.enter()).isFalse();
        assertThat(gate.exit()).isTrue();
        assertThat(gate.isClosedAndEmpty()).isTrue();
    }

    @Test
    void shouldTellExactlyOneThatItWasTheLast() {
        for (int round = 0; round < 200; round++) {
            Gate gate = new Gate();
            AtomicInteger last = new AtomicInteger();
            AtomicInteger entered = new AtomicInteger();
            gate.enter();
            Thread[] threads = startThreads(3, () -> {
                while (gate.enter()) {
                    entered.incrementAndGet();
                    last.addAndGet(gate.exit() ? 1 : 0);
                }
            });
            LoopTesting.awaitUntil(() -> entered.get() > 100);
            gate.close();
            last.addAndGet(gate.exit() ? 1 : 0);
            join(threads);
            assertThat(last).hasValue(1);
        }
    }
}
