// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.Slab;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Receive buffers that are replaced. */
@Timeout(60)
class ReceivePoolTest {
    @Test
    void shouldNotTakeFromABlockThatCouldNotBePrepared() {
        try (EventLoop loop = EventLoop.create("pool")) {
            ReceivePool pool = new ReceivePool(loop, 16, 4, true, () -> { });
            AtomicReference<Slab> prepared = new AtomicReference<>();
            assertThatThrownBy(() -> pool.replace(3, block -> {
                prepared.set(block);
                throw new IllegalStateException("not enough lockable memory");
            })).hasMessage("not enough lockable memory");
            assertThat(pool.slots()).isEqualTo(4);
            assertThat(pool.blocks()).hasSize(1);
            assertThat(prepared.get().isFreed()).isTrue();
            assertThat(pool.replace(3, block -> { })).isTrue();
            assertThat(pool.available()).isEqualTo(7);
            pool.close();
        }
    }
}
