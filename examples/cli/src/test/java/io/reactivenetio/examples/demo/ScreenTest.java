// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.cli.Terminal;
import io.reactivenetio.examples.demo.screen.Glyphs;
import io.reactivenetio.examples.demo.screen.Line;
import io.reactivenetio.examples.demo.screen.Screen;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Frames on a terminal whose size changes. */
class ScreenTest {
    private final FakeTerminal terminal = new FakeTerminal(80, 24);
    private final PrintStream out = new PrintStream(terminal, true, StandardCharsets.UTF_8);
    private final AtomicReference<Terminal.Size> told = new AtomicReference<>(terminal.size());
    private final DetectorSettings settings = Samples.settings(4);
    private final Frame frame = new Frame(settings, List.of("reactive-netio demo", "4 links"), Glyphs.BLOCKS, null);

    private LiveView view() {
        return new LiveView(new Screen(out, told.get(), true), frame, told.get(), otherwise -> told.get());
    }

    private void show(LiveView view, int from, int frames) {
        IntStream.range(from, from + frames).forEach(i -> view.show(Samples.of(4, 1_000L * (i + 1))));
    }

    private List<String> lastLive(int frames) {
        return frame.live(Samples.of(4, 1_000L * frames), Samples.of(4, 1_000L * (frames - 5)), terminal.size()).stream()
                .map(Line::toString).toList();
    }

    @Test
    void shouldShowOneFrameAndNoOther() {
        out.println("$ netio demo");
        LiveView view = view();
        show(view, 0, 30);

        assertThat(terminal.shown()).isEqualTo(lastLive(30));
        view.close();
        assertThat(terminal.shown().getFirst()).isEqualTo("$ netio demo");
        assertThat(terminal.shown().stream().filter(line -> line.contains("reactive-netio demo"))).hasSize(1);
    }

    /** A terminal breaks its lines anew when it gets narrower, and the program hears of it some frames later. */
    @Test
    void shouldNotPileUpFramesWhenTheSizeChanges() {
        LiveView view = view();
        int frames = 0;
        for (Terminal.Size size : List.of(new Terminal.Size(80, 24), new Terminal.Size(40, 24), new Terminal.Size(60, 10),
                new Terminal.Size(200, 60), new Terminal.Size(20, 5), new Terminal.Size(80, 24))) {
            terminal.resize(size);
            show(view, frames, 3); // in the old size
            assertThat(terminal.scrolled()).as("%s", size).isEmpty();
            told.set(size);
            show(view, frames + 3, 7);
            frames += 10;
            assertThat(terminal.shown()).as("%s", size).isEqualTo(lastLive(frames));
        }
        view.end(Samples.summary(Samples.of(4, 1_000L * frames)));
        assertThat(terminal.shown().stream().filter(line -> line.contains("reactive-netio demo"))).hasSize(1);
        assertThat(terminal.scrolled()).isEmpty();
        assertThat(terminal.usual()).isTrue();
    }

    @Test
    void shouldLeaveTheTotalsOnTheUsualScreen() {
        LiveView view = view();
        show(view, 0, 3);
        view.end(Samples.summary(Samples.of(4, 3_000)));
        view.close();

        assertThat(terminal.usual()).isTrue();
        assertThat(terminal.cursorShown()).isTrue();
        assertThat(terminal.wraps()).isTrue();
        assertThat(terminal.shown()).anyMatch(line -> line.contains("in all, 0.2 s"))
                .anyMatch(line -> line.startsWith(" events          3,000"));
    }

    @Test
    void shouldHoldWhatIsWrittenToStandardErrorUntilTheEnd() {
        PrintStream errors = System.err;
        System.setErr(new PrintStream(terminal, true, StandardCharsets.UTF_8));
        LiveView view = view();
        try {
            show(view, 0, 1);
            System.err.println("a warning");
            assertThat(terminal.shown()).noneMatch(line -> line.contains("a warning"));
            view.close();
            assertThat(terminal.shown()).last().isEqualTo("a warning");
        } finally {
            view.close();
            System.setErr(errors);
        }
    }
}
