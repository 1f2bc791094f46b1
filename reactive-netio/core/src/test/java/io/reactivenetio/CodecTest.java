// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The codecs that are ready. */
class CodecTest {
    private static final int TEXTS = 20_000;
    /** Ends of the ranges that UTF-8 has, and both halves of surrogate pairs. */
    private static final String EDGES = "\0a\u007f\u0080\u07ff\u0800\ud7ff\ud800\udbff\udc00\udfff\ue000\uffff";

    private static <T> ByteBuffer encoded(NetioEncoder<? super T> codec, T value, ByteOrder order) {
        ByteBuffer target = ByteBuffer.allocate(codec.size(value)).order(order);
        codec.encode(value, target);
        assertThat(target.remaining()).isZero();
        return target.flip();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "gr\u00fcn", "\u20ac 5", "\ud83d\ude00", "a\ud83d", "\ude00b",
        "\ud83d\ud83d\ude00\ude00"})
    void shouldWriteTextAsTheJdkDoes(String text) {
        ByteBuffer bytes = encoded(NetioCodec.utf8(), text, ByteOrder.BIG_ENDIAN);
        assertThat(bytes).isEqualTo(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        assertThat(NetioCodec.utf8().decode(bytes)).isEqualTo(new String(text.getBytes(StandardCharsets.UTF_8),
                StandardCharsets.UTF_8));
        assertThat(bytes.remaining()).isZero();
    }

    @Test
    void shouldWriteAnyTextAsTheJdkDoes() {
        Random random = new Random(42);
        char[] some = new char[12];
        for (int i = 0; i < TEXTS; i++) {
            int length = random.nextInt(some.length + 1);
            for (int j = 0; j < length; j++) {
                some[j] = EDGES.charAt(random.nextInt(EDGES.length()));
            }
            String text = new String(some, 0, length);
            assertThat(encoded(NetioCodec.utf8(), text, ByteOrder.BIG_ENDIAN))
                    .isEqualTo(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    @Test
    void shouldReadBytesThatAreNoUtf8() {
        assertThat(NetioCodec.utf8().decode(ByteBuffer.wrap(new byte[] {'a', (byte) 0xff, 'b'}))).isEqualTo("a\ufffdb");
    }

    @Test
    void shouldCopyBytes() {
        ByteBuffer message = encoded(NetioCodec.bytes(), new byte[] {1, 2, 3}, ByteOrder.BIG_ENDIAN);
        assertThat(NetioCodec.bytes().decode(message)).containsExactly(1, 2, 3);
        assertThat(NetioCodec.bytes().decode(ByteBuffer.allocateDirect(0))).isEmpty();
    }

    @Test
    void shouldCopyBuffersAndNotMoveThem() {
        ByteBuffer value = ByteBuffer.allocateDirect(8).putLong(0, 7).position(1).limit(7);
        ByteBuffer message = encoded(NetioCodec.buffers(), value, ByteOrder.LITTLE_ENDIAN);
        assertThat(value.position()).isEqualTo(1);
        assertThat(value.limit()).isEqualTo(7);
        ByteBuffer decoded = NetioCodec.buffers().decode(message);
        assertThat(decoded).isEqualTo(value).isNotSameAs(message);
        assertThat(decoded.isDirect()).isFalse();
        assertThat(decoded.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(message.remaining()).isEqualTo(6);
    }

    @Test
    void shouldWriteNumbers() {
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            ByteBuffer number = encoded(NetioCodec.longs(), Long.MIN_VALUE + 1, order);
            assertThat(number.getLong(0)).isEqualTo(Long.MIN_VALUE + 1);
            assertThat(NetioCodec.longs().decode(number)).isEqualTo(Long.MIN_VALUE + 1);
            ByteBuffer floating = encoded(NetioCodec.doubles(), Math.E, order);
            assertThat(floating.getDouble(0)).isEqualTo(Math.E);
            assertThat(NetioCodec.doubles().decode(floating)).isEqualTo(Math.E);
        }
    }

    @Test
    void shouldRefuseMessagesOfAnotherSize() {
        assertThatThrownBy(() -> NetioCodec.longs().decode(ByteBuffer.allocate(7))).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a message of 7 bytes; a long has 8 bytes: the sender uses another codec, or another version of it");
        assertThatThrownBy(() -> NetioCodec.doubles().decode(ByteBuffer.allocate(9)))
                .hasMessageContaining("9 bytes; a double has 8");
        NetioCodec<Integer> own = NetioCodec.ofSize(4, (value, target) -> target.putInt(value), ByteBuffer::getInt);
        assertThat(own.decode(encoded(own, 5, ByteOrder.BIG_ENDIAN))).isEqualTo(5);
        assertThatThrownBy(() -> own.decode(ByteBuffer.allocate(0))).hasMessageContaining("a message of 0 bytes; what ")
                .hasMessageContaining(CodecTest.class.getName()).hasMessageContaining(" reads has 4 bytes");
    }

    @Test
    void shouldSayWhoseFunctionWritesAnotherSize() {
        NetioEncoder<Integer> less = NetioEncoder.ofSize(8, (value, target) -> target.putInt(value));
        assertThat(less.size(1)).isEqualTo(8);
        assertThatThrownBy(() -> less.encode(1, ByteBuffer.allocate(8))).isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(CodecTest.class.getName()).hasMessageContaining("wrote 4 bytes of a message of 8:");
        assertThatThrownBy(() -> NetioEncoder.<Integer>ofSize(-1, (value, target) -> { }))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("-1");
    }
}
