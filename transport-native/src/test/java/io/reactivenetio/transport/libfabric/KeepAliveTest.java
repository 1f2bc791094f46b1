// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a silent peer is probed, and when it counts as gone. The clock goes by hand. */
class KeepAliveTest {
    private final Connection connection = new Connection();
    private final Deque<Runnable> pending = new ArrayDeque<>();
    private boolean cancelled;
    private final KeepAlive keepAlive = new KeepAlive(connection, Duration.ofSeconds(3), (pause, unit, task) -> {
        assertThat(unit.toMillis(pause)).isEqualTo(1_000);
        pending.add(task);
        return () -> cancelled = true;
    });

    /** A third of the time goes by. */
    private void third() {
        pending.remove().run();
    }

    @Test
    void shouldGiveUpAPeerThatAnswersNothing() {
        keepAlive.start(true);
        third();
        assertThat(connection.probed).isEqualTo(1);
        third();
        assertThat(connection.reason).hasMessageContaining("the peer has vanished: for 2000 ms")
                .hasMessageContaining("192.0.2.1");
        assertThat(pending).isEmpty();
    }

    /** One that was heard just after a look is probed after two thirds, and given up after three. */
    @Test
    void shouldGiveUpInTime() {
        keepAlive.start(true);
        keepAlive.peerWasActive();
        third();
        assertThat(connection.probed).isZero();
        third();
        assertThat(connection.probed).isEqualTo(1);
        third();
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void shouldGoOnWithAPeerThatAnswers() {
        keepAlive.start(true);
        for (int i = 0; i < 10; i++) {
            third();
            keepAlive.peerWasActive();
        }
        assertThat(connection.isClosed()).isFalse();
        assertThat(connection.probed).isEqualTo(1); // an answer counts as being heard of, as anything else
    }

    @Test
    void shouldLookForAnAnswerBeforeItGivesUp() {
        keepAlive.start(true);
        third();
        connection.unread = true;
        third();
        assertThat(connection.isClosed()).isFalse();
    }

    /** The sends ask as well, and may have to wait for the peer's receive buffers. */
    @Test
    void shouldNotGiveUpWhatItCannotAsk() {
        connection.busy = true;
        keepAlive.start(true);
        for (int i = 0; i < 10; i++) {
            third();
        }
        assertThat(connection.isClosed()).isFalse();
        connection.busy = false;
        third();
        third();
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void shouldDoNothingWhereItIsNotNeededOrOver() {
        keepAlive.start(false);
        assertThat(pending).isEmpty();
        keepAlive.start(true);
        keepAlive.stop();
        assertThat(cancelled).isTrue();
        connection.reason = new NetioException("over");
        third(); // had it begun before
        assertThat(connection.probed).isZero();
        assertThat(pending).isEmpty();
    }

    private final class Connection implements KeepAlive.Owner {
        private int probed;
        private boolean busy;
        private boolean unread;
        private @Nullable NetioException reason;

        @Override
        public boolean probe() {
            if (!busy) {
                probed++;
            }
            return !busy;
        }

        @Override
        public void drainCompletions() {
            if (unread) {
                keepAlive.peerWasActive();
            }
        }

        @Override
        public void close(@Nullable NetioException why) {
            reason = why;
        }

        @Override
        public boolean isClosed() {
            return reason != null;
        }

        @Override
        public Endpoint handle() {
            return new Endpoint(new InetSocketAddress("192.0.2.1", 4711), null, this);
        }
    }
}
