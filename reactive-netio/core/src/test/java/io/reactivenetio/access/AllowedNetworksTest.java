// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses are within which networks. */
class AllowedNetworksTest {
    @ParameterizedTest
    @CsvSource({"192.0.2.0/24,192.0.2.255,true", "192.0.2.0/24,192.0.3.0,false", "192.0.2.0/23,192.0.3.0,true",
                "192.0.2.7,192.0.2.7,true", "192.0.2.7,192.0.2.6,false", "0.0.0.0/0,203.0.113.9,true", "0.0.0.0/0,::1,false",
                "128.0.0.0/1,255.255.255.255,true", "128.0.0.0/1,127.255.255.255,false", "2001:db8::/32,2001:db8:ffff::1,true",
                "2001:db8::/32,2001:db9::1,false", "::1,::1,true", "::/0,::1,true", "::/0,192.0.2.1,false",
                "192.0.2.0/24,::ffff:192.0.2.1,true"})
    void shouldCompareTheFirstBits(String network, String address, boolean within) {
        AllowedNetworks allowed = AllowedNetworks.of("198.51.100.1", network);
        assertThat(allowed.contains(new InetSocketAddress(InetAddress.ofLiteral(address), 1))).isEqualTo(within);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/8", "192.0.2.1/24", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/", "192.0.2.0/x",
                            "daq.example.org", "2001:db8::/129", "::1/127"})
    void shouldRefuseWhatIsNone(String network) {
        assertThatThrownBy(() -> AllowedNetworks.of(network)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no network: \"" + network + "\"");
    }

    @Test
    void shouldAllowEveryNetworkUnlessSomeAreNamed() {
        assertThat(AllowedNetworks.of().contains(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1))).isTrue();
    }

    @Test
    void shouldNotConcernClientsOfAUnixSocket() {
        assertThat(AllowedNetworks.of("192.0.2.0/24").contains(UnixDomainSocketAddress.of(""))).isTrue();
    }
}
