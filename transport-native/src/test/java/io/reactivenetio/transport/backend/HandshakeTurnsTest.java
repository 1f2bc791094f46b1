// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HandshakeTurnsTest {
    private static final SocketAddress BAD = new InetSocketAddress("192.0.2.1", 1000);
    private static final SocketAddress ALSO_BAD = new InetSocketAddress("192.0.2.1", 2000);
    private static final SocketAddress GOOD = new InetSocketAddress("192.0.2.2", 1000);

    private long now = Long.MAX_VALUE - 1_000; // clocks may be anywhere, and pass their largest value
    private final HandshakeTurns turns = new HandshakeTurns(() -> now);

    private int begins(SocketAddress peer, int asked) {
        int begins = 0;
        for (int i = 0; i < asked; i++) {
            begins += turns.begins(peer) ? 1 : 0;
        }
        return begins;
    }

    @Test
    void shouldLimitThoseOfAPeerThatDoNotSucceed() {
        assertThat(begins(BAD, 32) + begins(ALSO_BAD, 100)).isEqualTo(HandshakeTurns.MOST);
        int begins = 0;
        for (int millis = 1; millis <= 1_000; millis++) {
            now += TimeUnit.MILLISECONDS.toNanos(1);
            begins += begins(millis % 2 == 0 ? BAD : ALSO_BAD, 10);
            assertThat(turns.begins(GOOD)).isTrue();
            turns.succeeded(GOOD);
        }
        assertThat(begins).isEqualTo(20);
    }

    @Test
    void shouldNotCountThoseThatSucceed() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(turns.begins(GOOD)).isTrue();
            turns.succeeded(GOOD);
        }
        turns.succeeded(GOOD); // one more than have begun
        assertThat(begins(GOOD, 100)).isEqualTo(HandshakeTurns.MOST);
        turns.succeeded(GOOD);
        assertThat(begins(GOOD, 100)).isEqualTo(1);
    }

    @Test
    void shouldForgetAllAfterSomeSeconds() {
        assertThat(begins(BAD, 100)).isEqualTo(HandshakeTurns.MOST);
        now += HandshakeTurns.MOST * HandshakeTurns.APART_NANOS;
        assertThat(begins(BAD, 100)).isEqualTo(HandshakeTurns.MOST);
        now += Long.MAX_VALUE / 2;
        assertThat(begins(BAD, 100)).isEqualTo(HandshakeTurns.MOST);
    }

    @Test
    void shouldRememberSoManyPeers() {
        assertThat(begins(BAD, 100)).isEqualTo(HandshakeTurns.MOST);
        for (int i = 1; i < HandshakeTurns.PEERS; i++) {
            turns.begins(new InetSocketAddress("10.0." + i / 256 + "." + i % 256, 1));
        }
        assertThat(turns.begins(BAD)).isFalse();
        for (int i = 1; i <= HandshakeTurns.PEERS; i++) {
            turns.begins(new InetSocketAddress("10.1." + i / 256 + "." + i % 256, 1));
        }
        assertThat(begins(BAD, 100)).isEqualTo(HandshakeTurns.MOST);
    }
}
