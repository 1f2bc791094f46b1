// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.memory.Block;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The count that other tests compare with. */
class NativeMemoryTest {
    private static final long NOISE = 1 << 20;

    /** Some from an arena, others mapped. */
    @ParameterizedTest
    @ValueSource(longs = {8_000, 80_000})
    void shouldCountBlocksOnlyWhileTheyAreUsed(long bytes) {
        long before = NativeMemory.arenas();
        List<Block> blocks = Stream.generate(() -> Block.of(bytes)).limit(500).toList();
        assertThat(NativeMemory.arenas() - before).isBetween(500 * bytes - NOISE, 500 * bytes + 500 * 4096 + NOISE);
        blocks.forEach(block -> block.giveBack(0));
        assertThat(NativeMemory.arenas() - before).as("what rests").isLessThan(NOISE);
    }
}
