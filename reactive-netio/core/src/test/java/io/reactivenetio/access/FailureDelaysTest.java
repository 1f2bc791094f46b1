// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How answers to an address that fails get later. */
class FailureDelaysTest {
    private final AtomicLong now = new AtomicLong(-5);
    private final FailureDelays delays = new FailureDelays(now::get);

    private static SocketAddress at(String address) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), 1);
    }

    private long millis(String address) {
        return TimeUnit.NANOSECONDS.toMillis(delays.nanos(at(address)));
    }

    @Test
    void shouldDoubleUpToALimitForOneAddress() {
        SocketAddress bad = at("192.0.2.1");
        assertThat(millis("192.0.2.1")).isZero();
        for (long expected : new long[] {100, 200, 400, 800, 1_600, 3_200, 3_200, 3_200}) {
            delays.failed(bad);
            assertThat(millis("192.0.2.1")).isEqualTo(expected);
        }
        for (int i = 0; i < 100; i++) {
            delays.failed(bad);
        }
        assertThat(millis("192.0.2.1")).isEqualTo(3_200);
        assertThat(millis("192.0.2.2")).isZero();
    }

    @Test
    void shouldForgetAnAddressThatHasNotFailedForAMinute() {
        delays.failed(at("192.0.2.1"));
        delays.failed(at("192.0.2.1"));
        now.addAndGet(TimeUnit.SECONDS.toNanos(60));
        assertThat(millis("192.0.2.1")).isEqualTo(200);
        now.addAndGet(1);
        assertThat(millis("192.0.2.1")).isZero();
        delays.failed(at("192.0.2.1"));
        assertThat(millis("192.0.2.1")).isEqualTo(100);
    }

    @Test
    void shouldTakeAnIpv6NetworkForOneAddress() {
        delays.failed(at("2001:db8:1:2::1"));
        assertThat(millis("2001:db8:1:2:ffff::7")).isEqualTo(100);
        assertThat(millis("2001:db8:1:3::1")).isZero();
    }

    @Test
    void shouldRememberSoManyAddressesAndTheLatestOfThem() {
        for (int i = 0; i <= FailureDelays.MOST; i++) {
            delays.failed(at("10.0." + (i >> 8) + "." + (i & 255)));
        }
        assertThat(millis("10.0.0.0")).isZero();
        assertThat(millis("10.0.0.1")).isEqualTo(100);
        assertThat(millis("10.0.4.0")).isEqualTo(100);
        SocketAddress local = UnixDomainSocketAddress.of(""); // all clients of a Unix socket
        delays.failed(local);
        assertThat(delays.nanos(local)).isPositive();
    }
}
