// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.Terminal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The picture of a run. */
class FilmTest {
    private static final Terminal.Size SIZE = new Terminal.Size(40, 3);

    @TempDir
    Path directory;

    private Film film(Path file) {
        return new Film(file, SIZE, Duration.ofMillis(500), "a \"film\"");
    }

    @Test
    void shouldHaveEachFrameBelowTheOneBeforeAndEachLineOnce() throws Exception {
        Path file = directory.resolve("film.svg");
        Film film = film(file);
        for (String time : List.of("0 s", "0 s", "1 s", "2 s", "3 s")) { // nothing moves, then it has no rates yet
            film.paint(List.of(Line.of(Line.BOLD, time), Line.of(" same"),
                    Line.of("  a < b & c   ").add(Line.RED, time)), SIZE);
        }
        film.end(List.of(Line.of("the end")));
        film.close();

        String svg = Files.readString(file);
        assertThat(svg).startsWith("<svg xmlns=").endsWith("</svg>\n").doesNotContain("script", "0 s", "1 s<")
                .contains("aria-label=\"a &quot;film&quot;\"", "steps(11)", "film 5.5s", "translateY(-594px)",
                        "translateY(-108px)");
        assertThat(svg).contains("<text x=\"16.8\" y=\"14\" textLength=\"75.6\">a &lt; b &amp; c</text>"
                + "<text x=\"117.6\" y=\"14\" textLength=\"25.2\" class=\"s31\">2 s</text>").containsOnlyOnce(">same</text>");
        assertThat(svg).contains("<use href=\"#l1\" y=\"18\"/>", "<use href=\"#l1\" y=\"72\"/>", "<g id=\"end\">",
                "<use href=\"#end\" y=\"54\"/>", "<use href=\"#end\" y=\"432\"/>");
    }

    @Test
    void shouldLeaveNoPictureOfARunThatWasBrokenOff() {
        Path file = directory.resolve("none.svg");
        Film film = film(file);
        film.paint(List.of(Line.of("a frame")), SIZE);
        film.close();

        assertThat(file).doesNotExist();
    }

    @Test
    void shouldSayWhatCannotBeWritten() {
        Film film = film(directory.resolve("no/such/folder.svg"));

        assertThatThrownBy(() -> film.end(List.of())).isInstanceOf(CliException.class).hasMessageStartingWith("cannot write ");
    }
}
