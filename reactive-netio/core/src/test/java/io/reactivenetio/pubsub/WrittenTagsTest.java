// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.Tags;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Choices of tags that are written down as three numbers. */
class WrittenTagsTest {
    @Test
    void shouldBeTheSameWhenTheyAreReadAgain() {
        List<Tags> all = List.of(Tags.of(-1), Tags.of(0), Tags.range(3, -1), Tags.masked(0x1200, 0xff00), Tags.masked(0, 0));
        assertThat(all.stream().map(tags -> new Tags(tags.kind(), tags.first(), tags.second()))).containsExactlyElementsOf(all);
        assertThat(all.stream().map(Tags::kind)).containsExactly(Tags.Kind.ONE, Tags.Kind.ONE, Tags.Kind.RANGE, Tags.Kind.MASK,
                Tags.Kind.MASK);
    }

    @Test
    void shouldRefuseNumbersThatAreNoChoice() {
        assertThatThrownBy(() -> new Tags(Tags.Kind.ONE, 1, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Tags(Tags.Kind.RANGE, 2, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Tags(Tags.Kind.MASK, 3, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
