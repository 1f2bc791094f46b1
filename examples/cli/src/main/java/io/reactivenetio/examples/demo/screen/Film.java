// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keeps the frames of a run, and makes an animated SVG of them, which needs no JavaScript: all frames stand below one another,
 * and a window moves from one to the next. A line that several frames have is written once. Any thread.
 */
public final class Film implements Canvas {
    private static final Pattern WORDS = Pattern.compile("\\S+(?: \\S+)*");
    private static final double COLUMN = 8.4;
    private static final int ROW = 18;
    private static final int FONT = 14;
    private static final int MARGIN = 12;
    private static final Duration STAYS = Duration.ofSeconds(4);
    private static final String STYLE = """
            <style>
            rect{fill:#161b22}
            text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#c9d1d9;white-space:pre}
            .s1{fill:#f0f6fc;font-weight:bold}.s2{fill:#8b949e}.s31{fill:#ff7b72}
            .s32{fill:#3fb950}.s33{fill:#d29922}.s36{fill:#39c5cf}
            .film{animation:film %.1fs steps(%d) infinite}
            @keyframes film{to{transform:translateY(-%dpx)}}
            @media(prefers-reduced-motion:reduce){.film{animation:none;transform:translateY(-%dpx)}}
            </style>
            """;

    private final Path file;
    private final Terminal.Size size;
    private final Duration period;
    private final String title;
    private final List<List<Line>> frames = new ArrayList<>();

    /**
     * A film of frames of {@code size}, one each {@code period}, that {@link #end} writes to {@code file}.
     *
     * @param title what it is, for those who do not see it
     */
    public Film(Path file, Terminal.Size size, Duration period, String title) {
        this.file = file;
        this.size = size;
        this.period = period;
        this.title = title;
    }

    @Override
    public synchronized void paint(List<Line> lines, Terminal.Size now) {
        frames.add(lines);
    }

    @Override
    public synchronized void end(List<Line> lines) {
        frames.add(lines);
        try {
            Files.writeString(file, svg());
        } catch (IOException e) {
            throw CliException.failure("cannot write " + file + ": " + e, e);
        }
    }

    @Override
    public void close() {
        // a run that was broken off leaves no picture
    }

    /** The first frame after one whose first line, which has the time, is another than the first frame's: that has rates. */
    private int beginning() {
        int frame = 0;
        while (frame < frames.size() - 1 && first(frame).equals(first(0))) {
            frame++;
        }
        return Math.min(frame + 1, frames.size() - 1);
    }

    private String first(int frame) {
        return frames.get(frame).isEmpty() ? "" : frames.get(frame).getFirst().toString();
    }

    private String svg() {
        List<List<Line>> shown = frames.subList(beginning(), frames.size());
        int steps = shown.size() + (int) (STAYS.toMillis() / period.toMillis());
        int height = size.rows() * ROW;
        double width = size.columns() * COLUMN;
        Map<String, Integer> lines = new LinkedHashMap<>();
        String film = film(shown, height, lines);
        StringBuilder svg = new StringBuilder();
        svg.append(Text.format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" role=\"img\""
                + " aria-label=\"%s\">%n", width + 2 * MARGIN, height + 2 * MARGIN, escaped(title)));
        svg.append(Text.format(STYLE, FONT, steps * period.toMillis() / 1000.0, steps, steps * height,
                (shown.size() - 1) * height));
        svg.append("<defs>\n");
        lines.forEach((line, number) -> svg.append("<g id=\"l").append(number).append("\">").append(line).append("</g>\n"));
        svg.append("</defs>\n<rect width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
        svg.append(Text.format("<svg x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%d\"><g class=\"film\">%n", MARGIN, MARGIN, width,
                height));
        svg.append(film);
        for (int step = shown.size(); step < steps; step++) {
            svg.append(Text.format("<use href=\"#end\" y=\"%d\"/>", (step - shown.size() + 1) * height));
        }
        return svg.append("</g></svg>\n</svg>\n").toString();
    }

    /** The frames one below the other, each made of lines that are drawn elsewhere: their numbers get into {@code lines}. */
    private static String film(List<List<Line>> shown, int height, Map<String, Integer> lines) {
        StringBuilder film = new StringBuilder();
        for (int frame = 0; frame < shown.size(); frame++) {
            boolean last = frame == shown.size() - 1;
            film.append(last ? "<g id=\"end\">" : "");
            for (int row = 0; row < shown.get(frame).size(); row++) {
                String line = texts(shown.get(frame).get(row));
                if (!line.isEmpty()) {
                    int number = lines.computeIfAbsent(line, none -> lines.size());
                    film.append(Text.format("<use href=\"#l%d\" y=\"%d\"/>", number, frame * height + row * ROW));
                }
            }
            film.append(last ? "</g>\n" : "\n");
        }
        return film.toString();
    }

    /** What stands between wider gaps, each at its place: no font is trusted to have blanks of the right width. */
    private static String texts(Line line) {
        StringBuilder texts = new StringBuilder();
        int column = 0;
        for (Line.Piece piece : line.pieces()) {
            String style = piece.style().isEmpty() ? "" : " class=\"s" + piece.style() + "\"";
            Matcher words = WORDS.matcher(piece.text());
            while (words.find()) {
                texts.append(Text.format("<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\"%s>%s</text>",
                        (column + words.start()) * COLUMN, FONT, words.group().length() * COLUMN, style, escaped(words.group())));
            }
            column += piece.text().length();
        }
        return texts.toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
