// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Two sides with PAGE framing. A peer with RAW framing sees the pages themselves. */
@Timeout(180)
abstract class PagePair extends TwoEnds {
    static final int PAGE = 1024;
    static final int BUFFERS = 8;

    void connect(BackendType backend) {
        connect(backend, s -> s, c -> c);
    }

    /** Both with PAGE framing unless told otherwise. */
    @Override
    void connect(BackendType backend, UnaryOperator<NetioServer> onServer, UnaryOperator<NetioClient> onClient) {
        super.connect(backend,
                s -> onServer.apply(s.framing(Framing.page()).receiveBuffers(PAGE, BUFFERS).sendBuffers(PAGE, BUFFERS)),
                c -> onClient.apply(c.framing(Framing.page()).receiveBuffers(PAGE, BUFFERS).sendBuffers(PAGE, BUFFERS)));
    }

    /** The client sees pages. */
    void connectRaw(BackendType backend, UnaryOperator<NetioServer> onServer) {
        connect(backend, onServer, c -> c.framing(Framing.raw()));
    }

    static ByteBuffer message(long number) {
        return ByteBuffer.allocate(8).putLong(number).flip();
    }

    static Flux<ByteBuffer> numbers(int count) {
        return Flux.range(0, count).map(PagePair::message);
    }

    static TaggedMessage tagged(long tag, int status, String text) {
        return new TaggedMessage(tag, status, ByteBuffer.wrap(text.getBytes()));
    }

    static String text(TaggedMessage message) {
        return Long.toUnsignedString(message.tag()) + "/" + message.status() + "/" + new String(message.payload().array());
    }

    static ByteBuffer hex(String bytes) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(bytes.replace(" ", "")));
    }

    static String hex(ByteBuffer bytes) {
        return HexFormat.of().formatHex(bytes.array());
    }

    /** A page of numbers. */
    static ByteBuffer page(long from, int count) {
        ByteBuffer page = ByteBuffer.allocate(8 + count * 12).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            page.putInt(i == 0 ? 0x80000008 : 8);
            if (i == 0) {
                page.putLong(0);
            }
            page.putLong(Long.reverseBytes(from + i)); // the user's, who writes as Java does
        }
        return page.flip();
    }

    /** Returns when what was done on the loop of {@code connection} before has had its effects there. */
    static void settle(NetioConnection connection) {
        Mono.fromRunnable(() -> { }).subscribeOn(connection.scheduler()).block(PATIENCE);
    }

    static void await(Eventually.Condition condition) {
        Eventually.await("what the test waits for", condition);
    }
}
