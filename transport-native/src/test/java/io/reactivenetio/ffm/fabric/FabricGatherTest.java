// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Messages that are gathered from several spans of memory. */
class FabricGatherTest {
    private static final int RECEIVED = 16_384;
    private static final int SPAN = 1000;

    private static void fill(MemorySegment memory, long offset, int length, int seed) {
        for (int i = 0; i < length; i++) {
            memory.set(ValueLayout.JAVA_BYTE, offset + i, (byte) (seed + i * 7));
        }
    }

    private static byte[] bytes(MemorySegment memory, long offset, long length) {
        return memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static void expectBoth(Loopback l, long sent, long received, long length) {
        boolean arrived = false;
        for (int i = 0; i < 2; i++) {
            assertThat(l.nextCompletion()).isEqualTo(1);
            if (l.completions.context(0) == received) {
                assertThat(l.completions.length(0)).isEqualTo(length);
                arrived = true;
            } else {
                assertThat(l.completions.context(0)).isEqualTo(sent);
            }
        }
        assertThat(arrived).isTrue();
    }

    @Test
    void shouldGatherAHeaderAndThreeSpansOfTwoRegions() {
        try (ConnectedPair pair = new ConnectedPair(); Arena arena = Arena.ofConfined()) {
            Loopback l = pair.loopback;
            MemorySegment headers = arena.allocate(64, 8);
            fill(headers, 0, 16, 99);
            try (FiMemoryRegion header = l.domain.register(headers, Fi.FI_SEND, 2)) {
                FiMessage message = new FiMessage(8).add(headers.address(), 16, header.descriptor());
                for (int i = 0; i < 3; i++) {
                    fill(l.memory, 4096L * i, SPAN, i);
                    message.add(pair.at(4096L * i), SPAN, pair.region.descriptor());
                }
                assertThat(message.count()).isEqualTo(4);
                assertThat(pair.server.recv(pair.at(RECEIVED), 8192, pair.region.descriptor(), 6)).isZero();
                assertThat(pair.client.sendMessage(message, 5, Fi.FI_COMPLETION)).isZero();
                message.clear();
                expectBoth(l, 5, 6, 16 + 3 * SPAN);
            }
            assertThat(bytes(l.memory, RECEIVED, 16)).isEqualTo(bytes(headers, 0, 16));
            for (int i = 0; i < 3; i++) {
                assertThat(bytes(l.memory, RECEIVED + 16 + (long) SPAN * i, SPAN)).isEqualTo(bytes(l.memory, 4096L * i, SPAN));
            }
        }
    }

    @Test
    void shouldSendOneMessageObjectManyTimesOverSeveralEndpoints() {
        try (ConnectedPair pair = new ConnectedPair()) {
            Loopback l = pair.loopback;
            FiMessage message = new FiMessage(4);
            for (int i = 0; i < 20; i++) {
                FiEndpoint from = i % 2 == 0 ? pair.client : pair.server;
                FiEndpoint to = i % 2 == 0 ? pair.server : pair.client;
                fill(l.memory, 0, 64, i);
                message.clear();
                for (int s = 0; s <= i % 4; s++) {
                    message.add(pair.at(s), 1, pair.region.descriptor());
                }
                assertThat(to.recv(pair.at(RECEIVED), 64, pair.region.descriptor(), 6)).isZero();
                assertThat(from.sendMessage(message, 5, Fi.FI_COMPLETION)).isZero();
                expectBoth(l, 5, 6, 1 + i % 4);
                assertThat(bytes(l.memory, RECEIVED, 1 + i % 4)).isEqualTo(bytes(l.memory, 0, 1 + i % 4));
            }
        }
    }

    @Test
    void shouldSendASmallMessageWithoutDescriptors() {
        try (ConnectedPair pair = new ConnectedPair(); Arena arena = Arena.ofConfined()) {
            MemorySegment unregistered = arena.allocateFrom("unregistered");
            FiMessage message = new FiMessage(2).add(unregistered.address(), 2, 0)
                    .add(unregistered.address() + 2, 11, 0);
            assertThat(pair.server.recv(pair.at(RECEIVED), 64, pair.region.descriptor(), 6)).isZero();
            assertThat(pair.client.sendMessage(message, 5, Fi.FI_COMPLETION)).isZero();
            expectBoth(pair.loopback, 5, 6, 13);
            assertThat(pair.loopback.memory.getString(RECEIVED)).isEqualTo("unregistered");
        }
    }

    @Test
    void shouldRefuseMoreSpansThanTheProviderTakes() {
        try (ConnectedPair pair = new ConnectedPair()) {
            long limit = pair.loopback.info.txIovLimit();
            FiMessage message = new FiMessage(64);
            for (int i = 0; i <= limit; i++) {
                message.add(pair.at(i), 1, pair.region.descriptor());
            }
            assertThatThrownBy(() -> pair.client.sendMessage(message, 5, Fi.FI_COMPLETION))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a message of %d spans, and the provider takes at most %d: copy some together", limit + 1, limit);
            assertThatThrownBy(() -> pair.client.sendMessage(message.clear(), 5, Fi.FI_COMPLETION))
                    .isInstanceOf(IllegalArgumentException.class).hasMessage("a message without spans");
        }
    }

    @Test
    void shouldKeepItsCapacity() {
        FiMessage message = new FiMessage(1).add(0, 0, 0);
        assertThatThrownBy(() -> message.add(0, 0, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new FiMessage(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FiMessage(1025)).isInstanceOf(IllegalArgumentException.class);
        assertThat(message.clear().count()).isZero();
        assertThat(message.capacity()).isEqualTo(1);
    }
}
