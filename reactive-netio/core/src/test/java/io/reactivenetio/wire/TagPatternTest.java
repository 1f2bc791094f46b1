// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tags two patterns have in common. */
class TagPatternTest {
    private static final int TAGS = 32;

    /** Every single tag, range and mask of a few tags, of which {@code shift} are the lowest of their bits. */
    private static List<TagPattern> patterns(int shift) {
        List<TagPattern> all = new ArrayList<>();
        long others = ~((TAGS - 1L) << shift);
        for (long i = 0; i < TAGS; i++) {
            all.add(TagPattern.exact(i << shift));
            for (long j = 0; j < TAGS; j++) {
                if (i <= j) {
                    all.add(TagPattern.range(i << shift, j << shift));
                }
                if ((i & ~j) == 0) {
                    all.add(TagPattern.masked(i << shift, others | j << shift));
                }
            }
        }
        return all;
    }

    private static long tags(TagPattern pattern, int shift) {
        long found = 0;
        for (long i = 0; i < TAGS; i++) {
            found |= pattern.matches(i << shift) ? 1L << i : 0;
        }
        return found;
    }

    /** The bits of the tags are the lowest, some in the middle, or the highest, which makes numbers that look negative. */
    @ParameterizedTest
    @ValueSource(ints = {0, 20, 59})
    void shouldFindATagThatIsInBoth(int shift) {
        List<TagPattern> all = patterns(shift);
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
    void shouldCompareTheLargestPatterns() {
        TagPattern all = TagPattern.masked(0, 0);
        assertThat(all.overlaps(TagPattern.range(0, -1))).isTrue();
        assertThat(TagPattern.range(-1, -1).overlaps(all)).isTrue();
        assertThat(TagPattern.masked(0, 1).overlaps(TagPattern.range(-1, -1))).isFalse();
        assertThat(TagPattern.masked(0, -1).overlaps(TagPattern.range(1, -1))).isFalse();
        assertThat(TagPattern.masked(1, 1).overlaps(TagPattern.range(-2, -1))).isTrue();
        assertThat(TagPattern.masked(0, Long.MIN_VALUE).overlaps(TagPattern.range(Long.MIN_VALUE, -1))).isFalse();
    }
}
