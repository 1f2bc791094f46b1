// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.KeptMemory;
import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpareBufferTest {
    private static final int LARGE = (2 << 20) + 1;
    private final ReassemblyBudget.Share share = new ReassemblyBudget(64 << 20, null).share(why -> { }, wait -> { }, 0);
    private final KeptMemory kept = new KeptMemory(6 << 20);
    private final SpareBuffer buffers = new SpareBuffer(share, kept);

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
    void shouldHoldOnToAsMuchMemoryAsTheLoopAllows() throws ProtocolException {
        ByteBuffer large = buffers.allocate(LARGE, LARGE);
        buffers.free(large);
        assertThat(kept.kept()).isEqualTo(LARGE);
        assertThat(buffers.allocate(LARGE, LARGE).array()).isSameAs(large.array());
        assertThat(kept.kept()).isZero();

        ByteBuffer tooLarge = buffers.allocate(3 * LARGE, 3 * LARGE);
        buffers.free(tooLarge);
        assertThat(buffers.allocate(3 * LARGE, 3 * LARGE)).isNotSameAs(tooLarge);
        assertThat(kept.kept()).isZero();
    }

    @Test
    void shouldUseALargeBufferThatLeasesGaveBack() throws ProtocolException {
        ByteBuffer large = buffers.allocate(LARGE, LARGE);
        buffers.returned(large.slice(0, 100));
        assertThat(kept.kept()).isEqualTo(LARGE);
        assertThat(buffers.allocate(LARGE, LARGE).array()).isSameAs(large.array());
        assertThat(kept.kept()).isZero();
    }

    @Test
    void shouldKeepNothingOnceClosed() throws ProtocolException {
        List<ByteBuffer> all = List.of(buffers.allocate(LARGE, LARGE), buffers.allocate(LARGE, LARGE),
                buffers.allocate(LARGE, LARGE), buffers.allocate(LARGE, LARGE));
        buffers.free(all.get(0));
        buffers.returned(all.get(1));
        assertThat(kept.kept()).isEqualTo(2 * LARGE);
        buffers.close();
        assertThat(kept.kept()).isZero();
        buffers.free(all.get(2));
        buffers.returned(all.get(3));
        assertThat(kept.kept()).isZero();
    }

    @Test
    void shouldCountWhatItReplacesAsGone() throws ProtocolException {
        ByteBuffer first = buffers.allocate(LARGE, LARGE);
        ByteBuffer second = buffers.allocate(LARGE, LARGE);
        ByteBuffer small = buffers.allocate(1000, 1000);
        buffers.free(first);
        buffers.free(second);
        assertThat(kept.kept()).isEqualTo(LARGE);
        buffers.free(small);
        assertThat(kept.kept()).isZero();
    }
}
