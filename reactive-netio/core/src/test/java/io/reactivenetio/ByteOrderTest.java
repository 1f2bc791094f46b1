// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What one end puts into a new ByteBuffer the other end gets from it, whichever way it receives, unless it asks otherwise. */
@Timeout(60)
class ByteOrderTest {
    private static final long NUMBER = 0x0102030405060708L;
    private static final int LARGE = 200_000;

    private final NetioLoops loops = NetioLoops.create("order", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    /** A way to receive, and whether a framing has it. */
    private record Way(String name, boolean tagged, Function<NetioInbound, Flux<ByteBuffer>> receive) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Arguments> ways() {
        List<Way> ways = List.of(
                new Way("receive()", false, NetioInbound::receive),
                new Way("receive(decoder)", false, in -> in.receive(ByteOrderTest::copy)),
                new Way("receiveLeased()", false, in -> in.receiveLeased().map(lease -> {
                    try (lease) {
                        return copy(lease.buffer());
                    }
                })),
                new Way("numbers of a lease", false, in -> in.receiveLeased().map(ByteOrderTest::copyOfSameNumbers)),
                new Way("retained lease", false, in -> in.receiveLeased().map(lease -> {
                    Lease second = lease.retain();
                    lease.release();
                    try (second) {
                        return copy(second.buffer());
                    }
                })),
                new Way("receiveTagged()", true, in -> in.receiveTagged().map(TaggedMessage::payload)),
                new Way("receiveTagged(decoder)", true, in -> in.receiveTagged((tag, status, payload) -> copy(payload))));
        return Stream.of(FramingKind.values()).flatMap(framing -> ways.stream()
                .filter(way -> framing != FramingKind.RAW || !way.tagged)
                .flatMap(way -> Stream.of(8, 1_000, LARGE).filter(size -> size < LARGE || framing == FramingKind.STREAM)
                        .map(size -> Arguments.of(framing, way, size))));
    }

    /** What the lease itself reads is what its buffer reads. */
    private static ByteBuffer copyOfSameNumbers(Lease lease) {
        try (lease) {
            int end = lease.length();
            for (int i = 0; i <= end - Long.BYTES; i += 1 + end / 10) {
                ByteBuffer buffer = lease.buffer();
                assertThat(lease.getByte(i)).isEqualTo(buffer.get(i));
                assertThat(lease.getShort(i)).isEqualTo(buffer.getShort(i));
                assertThat(lease.getInt(i)).isEqualTo(buffer.getInt(i));
                assertThat(lease.getLong(i)).isEqualTo(buffer.getLong(i));
                assertThat(lease.getFloat(i)).isEqualTo(buffer.getFloat(i));
                assertThat(lease.getDouble(i)).isEqualTo(buffer.getDouble(i));
            }
            assertThatThrownBy(() -> lease.getByte(end)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> lease.getInt(end - 3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> lease.getLong(-1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(lease.copy()).isEqualTo(lease.buffer()).matches(copy -> !copy.isReadOnly());
            return lease.copy();
        }
    }

    /** With the order that the buffer has. */
    private static ByteBuffer copy(ByteBuffer message) {
        ByteOrder order = message.order();
        return ByteBuffer.allocate(message.remaining()).put(message).flip().order(order);
    }

    private static NetioConnection connected(NetioLoops loops, FramingKind framing, ByteOrder order, int size) {
        DisposableServer server = NetioServer.create().backend(BackendType.TCP).runOn(loops).framing(framing.framing())
                .handle((in, out) -> out.send(Flux.range(0, 3).map(i -> ByteBuffer.allocate(size).putLong(0, NUMBER))))
                .bindNow(PATIENCE);
        NetioClient client = NetioClient.create().backend(BackendType.TCP).runOn(loops).framing(framing.framing())
                .port(server.port());
        return (order == ByteOrder.BIG_ENDIAN ? client : client.byteOrder(order)).connectNow(PATIENCE);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} bytes")
    @MethodSource("ways")
    void shouldShowNumbersAsTheyWerePut(FramingKind framing, Way way, int size) {
        ByteBuffer message = first(way, framing, ByteOrder.BIG_ENDIAN, size);
        assertThat(message.order()).isEqualTo(ByteOrder.BIG_ENDIAN);
        assertThat(message.getLong(0)).isEqualTo(NUMBER);
    }

    @ParameterizedTest(name = "{0}, {1}, {2} bytes")
    @MethodSource("ways")
    void shouldShowTheByteOrderThatIsAskedFor(FramingKind framing, Way way, int size) {
        ByteBuffer message = first(way, framing, ByteOrder.LITTLE_ENDIAN, size);
        assertThat(message.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(message.getLong(0)).isEqualTo(Long.reverseBytes(NUMBER));
    }

    private ByteBuffer first(Way way, FramingKind framing, ByteOrder order, int size) {
        NetioConnection connection = connected(loops, framing, order, size);
        return Objects.requireNonNull(way.receive.apply(connection).blockFirst(PATIENCE));
    }

    /** What one user does to a buffer's order no other one sees. */
    @Test
    void shouldShowEachMessageInTheSameOrder() {
        NetioConnection connection = connected(loops, FramingKind.STREAM, ByteOrder.BIG_ENDIAN, 64);
        assertThat(connection.receive(message -> message.order(ByteOrder.LITTLE_ENDIAN).order(ByteOrder.nativeOrder()) == message
                ? message.order(ByteOrder.BIG_ENDIAN).getLong(0) : 0).take(2).collectList().block(PATIENCE))
                .containsExactly(NUMBER, NUMBER);
    }

    @ParameterizedTest
    @EnumSource(value = FramingKind.class, names = "STREAM")
    void shouldShowRequestsAnswersAndPublishedMessagesAlike(FramingKind framing) {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            NetioPublisher publisher = NetioPublisher.create().publish(7,
                    Flux.range(0, 5).map(i -> ByteBuffer.allocate(8).order(order).putLong(0, NUMBER)));
            DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops)
                    .byteOrder(order)).doOnConnection(connection -> connection.respond(8, request -> Mono.just(
                            ByteBuffer.allocate(8).order(order).putLong(0, request.getLong(0) + 1))).subscribe())
                    .bindNow(PATIENCE);
            NetioClient client = NetioClient.create().backend(BackendType.TCP).runOn(loops).framing(framing.framing())
                    .byteOrder(order)
                    .port(server.port());
            NetioConnection connection = client.connectNow(PATIENCE);
            ByteBuffer answer = Objects.requireNonNull(connection.requester(8).request(
                    ByteBuffer.allocate(8).order(order).putLong(0, NUMBER)).block(PATIENCE));
            assertThat(answer.getLong(0)).isEqualTo(NUMBER + 1);
            TaggedMessage message = Objects.requireNonNull(NetioSubscriber.create(client).subscribe(7).blockFirst(PATIENCE));
            assertThat(message.payload().getLong(0)).isEqualTo(NUMBER);
        }
    }
}
