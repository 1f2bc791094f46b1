// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SpareBufferTest {
    private final ReassemblyBudget.Share share = new ReassemblyBudget(3 << 20).share(why -> { });
    private final SpareBuffer buffers = new SpareBuffer(share);

    @Test
    void shouldUseABufferAgainForAMessageOfAboutThatSize() throws ProtocolException {
        ByteBuffer first = buffers.allocate(1000, 1000);
        first.position(3).limit(5);
        buffers.free(first);
        ByteBuffer second = buffers.allocate(500, 500);
        assertThat(second.array()).isSameAs(first.array());
        assertThat(second.position()).isZero();
        assertThat(second.limit()).isEqualTo(500);
    }

    @Test
    void shouldGiveABufferOutOnce() throws ProtocolException {
        buffers.free(buffers.allocate(1000, 1000));
        assertThat(buffers.allocate(1000, 1000).array()).isNotSameAs(buffers.allocate(1000, 1000).array());
    }

    @Test
    void shouldNotWasteALargeBufferOnASmallMessage() throws ProtocolException {
        buffers.free(buffers.allocate(1000, 1000));
        assertThat(buffers.allocate(499, 499).capacity()).isEqualTo(499);
        assertThat(buffers.allocate(1001, 1001).capacity()).isEqualTo(1001);
    }

    /** It is there already. */
    @Test
    void shouldUseABufferForAllOfAMessageThatHasOnlyBegun() throws ProtocolException {
        ByteBuffer first = buffers.allocate(1000, 1000);
        buffers.finished(first);
        buffers.free(first);
        ByteBuffer second = buffers.allocate(10, 900);
        assertThat(second.array()).isSameAs(first.array());
        assertThat(second.limit()).isEqualTo(900);
        assertThat(buffers.allocate(10, 900).limit()).isEqualTo(10);
        assertThat(share.held()).isEqualTo(910);
    }

    @Test
    void shouldNotHoldOnToALotOfMemory() throws ProtocolException {
        ByteBuffer large = buffers.allocate((1 << 20) + 1, (1 << 20) + 1);
        buffers.free(large);
        assertThat(buffers.allocate((1 << 20) + 1, (1 << 20) + 1)).isNotSameAs(large);
    }
}
