// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.connection.ConnectionProbe;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Messages that are larger than all pages together: their memory is used again, and given up with the connection. */
@Timeout(180)
class LargeMessagesTest extends TwoEnds {
    private static final int SIZE = (4 << 20) + 1;
    private static final int COUNT = 12;

    private void connect(BackendType backend) {
        connect(backend, settings -> settings, settings -> settings);
    }

    private static Flux<ByteBuffer> messages(int size) {
        return Flux.range(0, COUNT).map(n -> ByteBuffer.allocate(size).putInt(0, n).put(size - 1, n.byteValue()));
    }

    private static int number(ByteBuffer message) {
        assertThat(message.remaining()).isEqualTo(SIZE);
        assertThat(message.get(SIZE - 1)).isEqualTo((byte) message.getInt(0));
        return message.getInt(0);
    }

    private static List<Integer> all() {
        return Flux.range(0, COUNT).collectList().block();
    }

    private List<Integer> received(Flux<ByteBuffer> source, Flux<Integer> numbers) {
        Mono<Void> sent = server.send(source).then(server.completeOutbound());
        return Mono.zip(numbers.collectList(), sent.thenReturn(true)).map(both -> both.getT1()).block(PATIENCE);
    }

    private void awaitNothingKept() {
        Link.await(() -> ConnectionProbe.kept(client) + ConnectionProbe.kept(server) == 0,
                () -> ConnectionProbe.kept(client) + " and " + ConnectionProbe.kept(server) + " bytes are kept");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveUpTheMemoryOfDecodedMessagesWithTheConnection(BackendType backend) {
        connect(backend);
        assertThat(received(messages(SIZE), client.receive(LargeMessagesTest::number))).isEqualTo(all());
        assertThat(ConnectionProbe.kept(client)).as("for what arrives").isEqualTo(SIZE);
        assertThat(ConnectionProbe.kept(server)).as("for the rest of what leaves").isEqualTo(SIZE);
        connections.forEach(NetioConnection::dispose);
        awaitNothingKept();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTakeSourcesOnOtherThreads(BackendType backend) {
        connect(backend);
        assertThat(received(messages(SIZE).subscribeOn(Schedulers.boundedElastic()), client.receive(LargeMessagesTest::number)))
                .isEqualTo(all());
        connections.forEach(NetioConnection::dispose);
        awaitNothingKept();
    }

    /** On another thread, and some only when the connection is gone. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveUpTheMemoryOfLeasesThatOutliveTheConnection(BackendType backend) {
        connect(backend);
        List<Lease> late = new CopyOnWriteArrayList<>();
        Flux<Integer> numbers = client.receiveLeased().publishOn(Lease.scheduler(Schedulers.single()), 2).map(lease -> {
            int number = number(lease.buffer());
            if (number % 4 == 0) {
                late.add(lease);
            } else {
                lease.release();
            }
            return number;
        });
        assertThat(received(messages(SIZE), numbers)).isEqualTo(all());
        connections.forEach(NetioConnection::dispose);
        client.onDispose().block(PATIENCE);
        assertThat(late).hasSize(3).allSatisfy(lease -> assertThat(number(lease.buffer()) % 4).isZero());
        late.forEach(Lease::release);
        awaitNothingKept();
    }

    /** What is kept belongs to one message at a time. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNotMixUpMessagesOfSeveralStreams(BackendType backend) {
        connect(backend);
        List<Mono<List<Integer>>> all = Flux.range(1, 4).map(tag -> {
            NetioStream stream = server.stream(tag);
            stream.send(messages(SIZE)).then(stream.completeOutbound()).subscribe(nothing -> { }, error -> { });
            return client.stream(tag).receive(LargeMessagesTest::number).collectList();
        }).collectList().block();
        assertThat(Flux.merge(all).collectList().block(PATIENCE)).hasSize(4).allSatisfy(numbers ->
                assertThat(numbers).isEqualTo(all()));
        connections.forEach(NetioConnection::dispose);
        awaitNothingKept();
    }
}
