// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Unix socket whose queue of those that wait to be accepted is full: the kernel has no event for when it is not. */
@Timeout(60)
class FullUnixSocketTest {
    @TempDir
    private Path directory;
    private final List<AutoCloseable> open = new ArrayList<>();
    private UnixDomainSocketAddress address;
    private ServerSocketChannel server;

    @BeforeEach
    void fill() throws IOException {
        address = UnixDomainSocketAddress.of(directory.resolve("full.sock"));
        server = kept(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
        server.bind(address, 1);
        assertThatThrownBy(this::connectAll).isInstanceOf(SocketException.class);
    }

    private void connectAll() throws IOException {
        while (true) {
            SocketChannel waiting = kept(SocketChannel.open(StandardProtocolFamily.UNIX));
            waiting.configureBlocking(false);
            waiting.connect(address);
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private <T extends AutoCloseable> T kept(T one) {
        open.add(one);
        return one;
    }

    private Party client(Duration connectTimeout) {
        return kept(new Party("client", BackendType.TCP, BackendConfig.defaults().withConnectTimeout(connectTimeout)));
    }

    @Test
    void shouldConnectWhenThereIsRoom() throws IOException {
        Party client = client(Duration.ofMinutes(1));
        Peer peer = client.open(address, Contract.SMALL);
        client.settle();
        assertThat(peer.established + peer.refused).isZero();
        server.configureBlocking(false);
        Party.await(() -> {
            try {
                SocketChannel accepted = server.accept();
                if (accepted != null) {
                    kept(accepted);
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return peer.established == 1;
        });
    }

    @Test
    void shouldGiveUpInTime() {
        Peer peer = client(Duration.ofMillis(200)).open(address, Contract.SMALL);
        Party.await(() -> peer.refused == 1);
        assertThat(peer.reason).isInstanceOf(NetioConnectException.class)
                .hasMessage("connecting to unix:" + address + " took longer than 200 ms");
    }

    @Test
    void shouldEndWhileItWaits() {
        Party client = client(Duration.ofMinutes(1));
        Peer peer = client.open(address, Contract.SMALL);
        client.settle();
        client.run(() -> client.backend.closeActiveEndpoint(peer.endpoint));
        Party.await(() -> peer.refused == 1);
    }
}
