// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
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

        assertThat(new LinkResult(tally, 10, 640, 1, 2, 77, 0, 0).complaints()).isEmpty();
        assertThat(new LinkResult(tally, 9, 640, 1, 2, 77, 0, 0).complaints()).singleElement().asString().contains("9 arrived");
        assertThat(new LinkResult(tally, 10, 641, 1, 2, 77, 0, 0).complaints()).hasSize(1);
        assertThat(new LinkResult(tally, 10, 640, 2, 1, 77, 0, 0).complaints()).hasSize(1);
        assertThat(new LinkResult(tally, 10, 640, 1, 2, 78, 0, 0).complaints()).hasSize(1);
        assertThat(new LinkResult(tally, 10, 640, 1, 2, 77, 1, 0).complaints()).hasSize(1);
        assertThat(new LinkResult(tally, 9, 576, 1, 2, 77, 1, 0).complaints()).singleElement().asString().contains("missed 1");
        assertThat(new LinkResult(tally, 8, 512, 1, 2, 77, 1, 0).complaints()).singleElement().asString().contains("8 arrived");
        assertThat(new LinkResult(tally, 10, 640, 1, 2, 77, 0, 1).complaints()).hasSize(1);
    }

    @Test
    void shouldFitATerminalOf80By24() {
        DetectorSettings settings = new DetectorSettings();
        settings.rate = 20_000;
        settings.seconds = 10;
        Screen screen = new Screen(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
        try {
            LiveView view = new LiveView(screen, Glyphs.BLOCKS, settings, "reactive-netio demo|40 links", new Histogram(8));
            List<String> lines = view.lines(sample(40, 1_000_000), sample(40, 0));

            assertThat(lines).hasSizeLessThan(24).anyMatch(line -> line.contains("… 36 more"));
            assertThat(lines).allSatisfy(line -> assertThat(line.replaceAll("\u001b\\[\\d+m", "").length()).isLessThan(80));
        } finally {
            screen.close();
        }
    }

    private static Sample sample(int links, long received) {
        return new Sample(received * 1000, received, new DetectorStatus(received / 10, received, received, 0, List.of()),
                IntStream.range(0, links).mapToObj(i -> new Sample.Link(i, received, received * 64, 128, received,
                        received / 60, received / 60, 0)).toList());
    }

    @Test
    void shouldDrawWithAsciiWhereThereIsNothingElse() {
        assertThat(Glyphs.of(StandardCharsets.US_ASCII)).isEqualTo(Glyphs.ASCII);
        assertThat(Glyphs.of(StandardCharsets.UTF_8)).isEqualTo(Glyphs.BLOCKS);
        assertThat(Glyphs.ASCII.bar(0.5, 4)).isEqualTo("##..");
        assertThat(Glyphs.BLOCKS.column(0.5)).isEqualTo('▄');
    }
}
