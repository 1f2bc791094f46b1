// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.jctools.queues.varhandle.SpscGrowableVarHandleArrayQueue;
import org.junit.jupiter.api.Test;

/** What is kept of messages that waited. */
class WaitingMessageTest {
    private static final int LIMIT = RequestWindow.BYTES;

    private final SpscGrowableVarHandleArrayQueue<WaitingMessage> pool = new SpscGrowableVarHandleArrayQueue<>(8, 64);

    private WaitingMessage recycled(int bytes) {
        WaitingMessage message = new WaitingMessage(bytes, pool);
        message.recycle(LIMIT);
        return message;
    }

    @Test
    void shouldKeepSmallOnesWithinTheLimit() {
        for (int i = 0; i < 6; i++) {
            recycled(LIMIT / 4);
        }
        assertThat(pool).hasSize(4);
    }

    @Test
    void shouldKeepOneThatIsLargerThanTheLimit() {
        WaitingMessage first = recycled(4 * LIMIT);
        recycled(4 * LIMIT);
        assertThat(pool).hasSize(1);
        assertThat(pool.peek()).isSameAs(first);
    }

    @Test
    void shouldNotUseALargeOneForSmallMessages() {
        WaitingMessage large = new WaitingMessage(16 * LIMIT, pool);
        assertThat(large.suits(16 * LIMIT)).isTrue();
        assertThat(large.suits(2 * LIMIT)).isTrue();
        assertThat(large.suits(LIMIT)).isFalse();
        assertThat(new WaitingMessage(LIMIT, pool).suits(1)).isTrue();
    }
}
