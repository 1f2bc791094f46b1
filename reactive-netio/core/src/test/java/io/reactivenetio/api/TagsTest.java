// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tags two patterns have in common. */
class TagsTest {
    private static final int TAGS = 32;

    /** Every single tag, range and mask of a few tags, of which {@code shift} are the lowest of their bits. */
    private static List<Tags> patterns(int shift) {
        List<Tags> all = new ArrayList<>();
        long others = ~((TAGS - 1L) << shift);
        for (long i = 0; i < TAGS; i++) {
            all.add(Tags.of(i << shift));
            for (long j = 0; j < TAGS; j++) {
                if (i <= j) {
                    all.add(Tags.range(i << shift, j << shift));
                }
                if ((i & ~j) == 0) {
                    all.add(Tags.masked(i << shift, others | j << shift));
                }
            }
        }
        return all;
    }

    private static long tags(Tags pattern, int shift) {
        long found = 0;
        for (long i = 0; i < TAGS; i++) {
            found |= pattern.contains(i << shift) ? 1L << i : 0;
        }
        return found;
    }

    /** The bits of the tags are the lowest, some in the middle, or the highest, which makes numbers that look negative. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20, 59})
    void shouldFindATagThatIsInBoth(int shift) {
        List<Tags> all = patterns(shift);
        long[] tags = all.stream().mapToLong(pattern -> tags(pattern, shift)).toArray();
        for (int i = 0; i < tags.length; i++) {
            for (int j = 0; j < tags.length; j++) {
                if (all.get(i).overlaps(all.get(j)) != ((tags[i] & tags[j]) != 0)) {
                    assertThat(all.get(i).overlaps(all.get(j))).as(all.get(i) + " and " + all.get(j))
                            .isEqualTo((tags[i] & tags[j]) != 0);
                }
            }
        }
    }

    @Test
    void shouldTellWhetherAPatternIsWithinAnother() {
        List<Tags> all = patterns(0);
        long[] tags = all.stream().mapToLong(pattern -> tags(pattern, 0)).toArray();
        for (int i = 0; i < tags.length; i++) {
            for (int j = 0; j < tags.length; j++) {
                if (all.get(i).containsAll(all.get(j)) != ((tags[j] & ~tags[i]) == 0)) {
                    assertThat(all.get(i).containsAll(all.get(j))).as(all.get(j) + " within " + all.get(i))
                            .isEqualTo((tags[j] & ~tags[i]) == 0);
                }
            }
        }
        Tags every = Tags.masked(0, 0);
        assertThat(every.containsAll(Tags.range(0, -1))).isTrue();
        assertThat(Tags.range(0, -1).containsAll(every)).isTrue();
        assertThat(Tags.range(0, -2).containsAll(every)).isFalse();
        assertThat(Tags.of(-1).containsAll(Tags.masked(-1, -1))).isTrue();
        assertThat(Tags.masked(1L << 63, 1L << 63).containsAll(Tags.range(1L << 63, -1))).isTrue();
        assertThat(Tags.masked(1L << 63, 1L << 63).containsAll(Tags.range((1L << 63) - 1, -1))).isFalse();
    }

    @Test
    void shouldCompareTheLargestPatterns() {
        Tags all = Tags.masked(0, 0);
        assertThat(all.overlaps(Tags.range(0, -1))).isTrue();
        assertThat(Tags.range(-1, -1).overlaps(all)).isTrue();
        assertThat(Tags.masked(0, 1).overlaps(Tags.range(-1, -1))).isFalse();
        assertThat(Tags.masked(0, -1).overlaps(Tags.range(1, -1))).isFalse();
        assertThat(Tags.masked(1, 1).overlaps(Tags.range(-2, -1))).isTrue();
        assertThat(Tags.masked(0, Long.MIN_VALUE).overlaps(Tags.range(Long.MIN_VALUE, -1))).isFalse();
    }
}
