// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** IPv6 addresses that are only an address together with a network interface. */
@Timeout(60)
class LinkLocalTest {
    private Party server;
    private Party client;

    private Inet6Address start(BackendType type) throws SocketException {
        Inet6Address own = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .filter(Inet6Address.class::isInstance).map(Inet6Address.class::cast).filter(Inet6Address::isLinkLocalAddress)
                .findFirst().orElse(null);
        server = new Party("server", type, BackendConfig.defaults());
        client = new Party("client", type, BackendConfig.defaults().withExclusive(false));
        Assumptions.assumeTrue(own != null, "no interface has a link-local address");
        return own;
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private static String bare(Inet6Address address) {
        String text = address.getHostAddress();
        return text.substring(0, text.indexOf('%'));
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldListenAndConnectByNameAndByNumberOfTheInterface(BackendType type) throws SocketException {
        Inet6Address own = start(type);
        String bare = bare(own);
        List<String> names = List.of(own.getHostAddress(), bare + "%" + own.getScopedInterface().getName(),
                bare + "%" + own.getScopeId());
        int accepted = 0;
        for (String listening : names) {
            ListenEndpoint listener = server.listen(InetSocketAddress.createUnresolved(listening, 0), Contract.SMALL);
            InetSocketAddress bound = Addresses.inet(listener.localAddress());
            assertThat(((Inet6Address) bound.getAddress()).getScopeId()).isEqualTo(own.getScopeId());
            for (String connecting : names) {
                Peer peer = client.connect(InetSocketAddress.createUnresolved(connecting, bound.getPort()),
                        Contract.SMALL);
                peer.stream(1, 100);
                int now = ++accepted;
                Party.await(() -> server.peers.size() == now && server.accepted().received == 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldSayThatTheInterfaceIsMissing(BackendType type) throws SocketException {
        String bare = bare(start(type));
        for (InetSocketAddress address : List.of(new InetSocketAddress(bare, 7), InetSocketAddress.createUnresolved(bare, 7))) {
            String told = "the link-local address " + bare + " needs its network interface, as in " + bare + "%eth0";
            assertThatThrownBy(() -> server.listen(address, Contract.SMALL))
                    .isInstanceOf(InvalidEndpointAddressException.class).hasMessage(told);
            Peer peer = client.open(address, Contract.SMALL);
            Party.await(() -> peer.refused == 1);
            assertThat(peer.reason).hasMessage(told);
        }
        String nobody = bare + "%nowhere";
        String told = "cannot resolve host '" + nobody + "'; there is no network interface 'nowhere' here";
        assertThatThrownBy(() -> server.listen(InetSocketAddress.createUnresolved(nobody, 7), Contract.SMALL)).hasMessage(told);
        Peer peer = client.open(InetSocketAddress.createUnresolved(nobody, 7), Contract.SMALL);
        Party.await(() -> peer.refused == 1);
        assertThat(peer.reason).hasMessage(told);
    }
}
