// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SpareBufferTest {
    private final SpareBuffer buffers = new SpareBuffer();

    @Test
    void shouldUseABufferAgainForAMessageOfAboutThatSize() {
        ByteBuffer first = buffers.allocate(1000);
        first.position(3).limit(5);
        buffers.free(first);
        ByteBuffer second = buffers.allocate(500);
        assertThat(second.array()).isSameAs(first.array());
        assertThat(second.position()).isZero();
        assertThat(second.limit()).isEqualTo(500);
    }

    @Test
    void shouldGiveABufferOutOnce() {
        buffers.free(buffers.allocate(1000));
        assertThat(buffers.allocate(1000).array()).isNotSameAs(buffers.allocate(1000).array());
    }

    @Test
    void shouldNotWasteALargeBufferOnASmallMessage() {
        buffers.free(buffers.allocate(1000));
        assertThat(buffers.allocate(499).capacity()).isEqualTo(499);
        assertThat(buffers.allocate(1001).capacity()).isEqualTo(1001);
    }

    @Test
    void shouldNotHoldOnToALotOfMemory() {
        ByteBuffer large = buffers.allocate((1 << 20) + 1);
        buffers.free(large);
        assertThat(buffers.allocate((1 << 20) + 1)).isNotSameAs(large);
    }
}
