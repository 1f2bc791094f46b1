// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NoBuffersAllocatedException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What was not asked for is not there, and said so. */
@OverEveryCombination
class CapabilitiesContractTest extends Contract {
    private static final ConnectionParameters NONE = new ConnectionParameters(0, 0, 0, 0);

    private final MemoryRegion region = MemoryRegion.allocate(4096);

    CapabilitiesContractTest(Combination combination) {
        super(combination);
    }

    @AfterEach
    void close() {
        region.close();
    }

    private void assumeOwn() {
        Assumptions.assumeFalse(combination.shared(), "of buffers that are not shared only"); // every connection has those
    }

    @Test
    void shouldTellBothSidesWhatTheyCanDo() {
        boolean copies = combination.isPlainTcp();
        for (int i = 0; i < 8; i++) {
            ConnectionParameters parameters = NONE;
            boolean send = combination.shared() || (i & 1) != 0;
            boolean receive = combination.shared() || (i & 2) != 0;
            boolean zeroCopy = (i & 4) != 0;
            parameters = (i & 1) == 0 ? parameters : parameters.withSendBuffers(64, 2);
            parameters = (i & 2) == 0 ? parameters : parameters.withReceiveBuffers(64, 2);
            parameters = zeroCopy ? parameters.withZeroCopy(region, 64) : parameters;
            ConnectionParameters all = SMALL.withZeroCopy(region, 64);
            Party.Pair pair = client.connect(server, server.listen(parameters), all);
            Capabilities some = new Capabilities(send, send && copies, zeroCopy, receive);
            assertThat(pair.accepted().capabilities).as("with " + parameters).isEqualTo(some);
            assertThat(pair.opened().capabilities).isEqualTo(new Capabilities(true, copies, true, true));
            Party.Pair reverse = client.connect(server, server.listen(all), parameters);
            assertThat(reverse.opened().capabilities).isEqualTo(some);
        }
    }

    @Test
    void shouldSayThatNoSendBuffersWereAskedFor() {
        assumeOwn();
        ListenEndpoint listener = server.listen(SMALL);
        Peer peer = client.connect(listener, NONE.withZeroCopy(region, 64));
        assertThatThrownBy(() -> client.on(() -> client.backend.getBuffer(peer.endpoint)))
                .isInstanceOf(NoBuffersAllocatedException.class).hasMessageContaining("opened without send buffers");
        assertThatThrownBy(() -> client.on(() -> client.backend.sendCopy(peer.endpoint, ByteBuffer.allocate(1))))
                .isInstanceOf(NotSupportedException.class);
        assertThat(client.on(() -> client.backend.freeSendBuffers(peer.endpoint))).isZero();
        GatherList gather = new GatherList().add(0, 10);
        assertThat(client.on(() -> peer.out.sendGather(gather, 5, SendCompletion.DELIVERED))).isEqualTo(SendStatus.OK);
        Party.await(() -> peer.completed == 1);
    }

    @Test
    void shouldSendOnlyWhereNothingIsReceived() {
        assumeOwn();
        Party.Pair pair = client.connect(server, server.listen(SMALL), NONE.withSendBuffers(1024, 8));
        assertThat(client.on(() -> client.backend.creditsPosted(pair.opened().endpoint))).isZero();
        int number = TestSettings.scaled(2_000);
        pair.opened().stream(number, 1_000, SendCompletion.DELIVERED);
        Party.await(() -> pair.accepted().received == number && pair.opened().completed == number);
    }

    /** Whatever its size: it ends that connection, and nothing else. */
    @Test
    void shouldEndTheConnectionWhereNothingIsToBeReceived() {
        assumeOwn();
        ListenEndpoint listener = server.listen(NONE);
        Party.Pair good = client.connect(server, listener, SMALL);
        for (int size : new int[] {0, 1, 64, 65, 1024}) {
            Party.Pair pair = client.connect(server, listener, SMALL);
            pair.opened().stream(1, size);
            Party.await(() -> pair.accepted().closed == 1 && pair.opened().closed == 1);
            assertThat(pair.accepted().cause).as("size " + size).isInstanceOf(NetioException.class)
                    .hasMessageContaining("opened without receive buffers");
            assertThat(pair.accepted().received).isZero();
        }
        assertThat(good.accepted().closed).isZero();
    }

    @Test
    void shouldNoticeThePeersEndWhereNothingIsReceived() {
        assumeOwn();
        ListenEndpoint listener = server.listen(NONE);
        Party.Pair pair = client.connect(server, listener, NONE);
        client.closeEndpoint(pair.opened());
        Party.await(() -> pair.accepted().closed == 1);
        assertThat(pair.accepted().cause).isNull();
        Party.Pair other = client.connect(server, listener, NONE);
        server.closeEndpoint(other.accepted());
        Party.await(() -> other.opened().closed == 1);
        assertThat(other.opened().cause).isNull();
    }

    @Test
    void shouldTellCapabilitiesBeforeAnythingElse() {
        AtomicReference<Capabilities> told = new AtomicReference<>();
        server.onEstablished = peer -> peer.stream(5, 10);
        client.onData = peer -> told.compareAndSet(null, peer.capabilities);
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        Party.await(() -> peer.received == 5);
        assertThat(told.get()).isNotNull();
    }
}
