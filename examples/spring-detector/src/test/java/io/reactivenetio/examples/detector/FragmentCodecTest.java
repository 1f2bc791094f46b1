// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FragmentCodecTest {
    private final FragmentCodec codec = new FragmentCodec();

    private ByteBuffer encoded(Fragment fragment) {
        ByteBuffer message = ByteBuffer.allocate(codec.size(fragment));
        codec.encode(fragment, message);
        assertThat(message.hasRemaining()).isFalse();
        return message.flip();
    }

    @Test
    void shouldDecodeWhatItEncodes() {
        for (byte[] hits : new byte[][] {{}, {0, 63, 5, 5}}) {
            Fragment fragment = new Fragment(7, Long.MAX_VALUE, -1, hits);
            assertThat(codec.decode(encoded(fragment))).usingRecursiveComparison().isEqualTo(fragment);
        }
    }

    @Test
    void shouldRefuseWhatIsNoFragment() {
        assertThatThrownBy(() -> codec.decode(encoded(new Fragment(8, 1, 1, new byte[0]))))
                .hasMessage("a fragment of link 8: there are 0 to 7");
        assertThatThrownBy(() -> codec.decode(encoded(new Fragment(-1, 1, 1, new byte[0])))).hasMessageContaining("link -1");
        assertThatThrownBy(() -> codec.decode(encoded(new Fragment(0, 1, 1, new byte[] {64}))))
                .hasMessage("a hit in channel 64: there are 0 to 63");
        assertThatThrownBy(() -> codec.decode(encoded(new Fragment(0, 1, 1, new byte[] {-1})))).hasMessageContaining("-1");
        assertThatThrownBy(() -> codec.decode(ByteBuffer.allocate(10))).isInstanceOf(BufferUnderflowException.class);
    }
}
