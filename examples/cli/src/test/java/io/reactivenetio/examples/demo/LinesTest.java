// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.demo.screen.Glyphs;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the detector and the demo print. */
class LinesTest {

    @Test
    void shouldReadTheStatusTheDetectorWrote() {
        DetectorStatus status = new DetectorStatus(1200, 5000, 4000, 1000, List.of(3L, 4L));

        assertThat(DetectorStatus.is(status.line())).isTrue();
        assertThat(DetectorStatus.parse(status.line())).isEqualTo(status);
        assertThat(status.busySince(DetectorStatus.none())).isEqualTo(0.2);
    }

    @Test
    void shouldReadTheTallyTheDetectorWrote() {
        LinkTally tally = new LinkTally(2, 100, 6400, 3, 4, -5, 6);

        assertThat(LinkTally.is(tally.line())).isTrue();
        assertThat(LinkTally.parse(tally.line())).isEqualTo(tally);
    }

    @Test
    void shouldComplainOfEveryDifference() {
        LinkTally tally = new LinkTally(0, 10, 640, 1, 2, 77, 0);

        assertThat(complaints(tally, 10, 640, 1, 2, 77, 0, 0)).isEmpty();
        assertThat(complaints(tally, 9, 640, 1, 2, 77, 0, 0)).singleElement().asString().contains("9 arrived");
        assertThat(complaints(tally, 10, 641, 1, 2, 77, 0, 0)).hasSize(1);
        assertThat(complaints(tally, 10, 640, 2, 1, 77, 0, 0)).hasSize(1);
        assertThat(complaints(tally, 10, 640, 1, 2, 78, 0, 0)).hasSize(1);
        assertThat(complaints(tally, 10, 640, 1, 2, 77, 1, 0)).hasSize(1);
        assertThat(complaints(tally, 9, 576, 1, 2, 77, 1, 0)).singleElement().asString().contains("missed 1");
        assertThat(complaints(tally, 8, 512, 1, 2, 77, 1, 0)).singleElement().asString().contains("8 arrived");
        assertThat(complaints(tally, 10, 640, 1, 2, 77, 0, 1)).hasSize(1);
    }

    private static List<String> complaints(LinkTally tally, long received, long bytes, long truncated, long corrupted,
            long digest, long missing, long misplaced) {
        return new LinkResult(tally, new Sample.Link(0, received, bytes, 0, 0, truncated, corrupted, digest, missing, misplaced))
                .complaints();
    }

    @Test
    void shouldDrawWithAsciiWhereThereIsNothingElse() {
        assertThat(Glyphs.of(StandardCharsets.US_ASCII)).isEqualTo(Glyphs.ASCII);
        assertThat(Glyphs.of(StandardCharsets.UTF_8)).isEqualTo(Glyphs.BLOCKS);
        assertThat(Glyphs.ASCII.bar(0.5, 4)).isEqualTo("##..");
        assertThat(Glyphs.BLOCKS.column(0.5)).isEqualTo('▄');
    }
}
