// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.pubsub.Position;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;

class StateFormatTest {
    private static final NetioSplit FRESH = new NetioSplit(new NetioEndpoint("daq1", 7_000), 7, 7, null);
    private static final NetioSplit READ = new NetioSplit(new NetioEndpoint("::1", 65_535), 0x1000, -1, new Position(-5, -1));

    private final NetioSplitSerializer splits = new NetioSplitSerializer();
    private final NetioEnumeratorStateSerializer states = new NetioEnumeratorStateSerializer();

    @Test
    void shouldKeepSplits() throws IOException {
        for (NetioSplit split : List.of(FRESH, READ)) {
            assertThat(splits.deserialize(1, splits.serialize(split))).isEqualTo(split);
        }
        assertThat(FRESH.splitId()).isEqualTo("daq1:7000/7");
        assertThat(READ.splitId()).isEqualTo("::1:65535/4096-18446744073709551615");
    }

    @Test
    void shouldKeepTheBytesOfVersionOne() throws IOException {
        assertThat(splits.serialize(READ.at(new Position(2, 3)))).containsExactly(0, 3, ':', ':', '1', 0, 0, -1, -1,
                0, 0, 0, 0, 0, 0, 0x10, 0, -1, -1, -1, -1, -1, -1, -1, -1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3);
    }

    @Test
    void shouldKeepTheEnumeratorsState() throws IOException {
        NetioEnumeratorState state = new NetioEnumeratorState(Set.of(FRESH.splitId(), READ.splitId(), "gone:1/1"),
                List.of(READ, FRESH));

        assertThat(states.deserialize(1, states.serialize(state))).isEqualTo(state);
        NetioEnumeratorState none = new NetioEnumeratorState(Set.of(), List.of());
        assertThat(states.deserialize(1, states.serialize(none))).isEqualTo(none);
    }

    @Test
    void shouldKeepThousandsOfSplits() throws IOException {
        List<NetioSplit> many = new ArrayList<>();
        for (int port = 1; port <= 4_000; port++) {
            many.add(new NetioSplit(new NetioEndpoint("daq", port), port, port, new Position(port, port)));
        }
        NetioEnumeratorState state = new NetioEnumeratorState(Set.of(), many);

        assertThat(states.deserialize(1, states.serialize(state))).isEqualTo(state);
    }

    @Test
    void shouldRefuseAnotherVersion() throws IOException {
        byte[] bytes = splits.serialize(FRESH);

        assertThatThrownBy(() -> splits.deserialize(2, bytes)).isInstanceOf(IOException.class)
                .hasMessage("the state of a split has version 2, and this release reads 1 only: restore it with the release that"
                        + " wrote it, or start without it");
    }

    @Test
    void shouldSayThatBytesAreCorrupt() throws IOException {
        byte[] bytes = splits.serialize(READ);
        assertThatThrownBy(() -> splits.deserialize(1, Arrays.copyOf(bytes, bytes.length - 1)))
                .isInstanceOf(IOException.class).hasMessageStartingWith("the state of a split is corrupt, 41 bytes");
        assertThatThrownBy(() -> splits.deserialize(1, Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(IOException.class).hasMessageContaining("1 bytes too many");
        assertThatThrownBy(() -> splits.deserialize(1, new byte[0])).isInstanceOf(IOException.class);
        byte[] noRun = bytes.clone();
        Arrays.fill(noRun, 26, 34, (byte) 0);
        assertThatThrownBy(() -> splits.deserialize(1, noRun)).isInstanceOf(IOException.class).hasMessageContaining("run 0");
        assertThatThrownBy(() -> states.deserialize(1, new byte[] {0x7f, -1, -1, -1})).isInstanceOf(IOException.class)
                .hasMessageContaining("2147483647 elements in 0 bytes");
    }

    @Test
    void shouldThrowNothingElseWhateverTheBytes() throws IOException {
        Random random = new Random(42);
        byte[] good = states.serialize(new NetioEnumeratorState(Set.of("a", "b"), List.of(READ, FRESH)));
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = good.clone();
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            readOrFail(states, bytes);
            byte[] noise = new byte[random.nextInt(80)];
            random.nextBytes(noise);
            readOrFail(splits, noise);
        }
    }

    private static void readOrFail(SimpleVersionedSerializer<?> format, byte[] bytes) {
        try {
            assertThat(format.deserialize(1, bytes)).isNotNull();
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("is corrupt");
        }
    }
}
