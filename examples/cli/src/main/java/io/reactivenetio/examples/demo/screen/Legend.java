// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.screen;

import java.util.ArrayList;
import java.util.List;

/** What the words of the view and of the summary mean, a line each. */
public enum Legend {
    TRIGGER("trigger", "events that the detector has begun"),
    BUSY("busy", "the share of events that it lost because a link could not send more"),
    FRAGMENT("fragment", "what one link saw of one event; an event is built of one per link"),
    DEMAND("demand", "fragments that the readout has asked a link for and not got yet"),
    STALLS("stalls", "how often a link had fragments that nobody had asked for"),
    TRUNCATED("truncated", "cut short on purpose; in: by the detector, found: by the readout"),
    CORRUPTED("corrupted", "with wrong bits on purpose; in, found: as above"),
    MISSING("missing", "fragments that were sent and never arrived: must be 0"),
    RECONNECTS("reconnects", "how often the connection was lost and made again");

    private static final int WORD = 12;
    private static final int LEAST = 20;

    private final String word;
    private final String meaning;

    Legend(String word, String meaning) {
        this.word = word;
        this.meaning = meaning;
    }

    /** All of them; one that does not fit its line goes on in the next. */
    public static List<Line> lines(int columns) {
        List<Line> lines = new ArrayList<>();
        for (Legend entry : values()) {
            String head = Text.format(" %-" + (WORD - 1) + "s", entry.word);
            for (String part : Text.wrap(entry.meaning, Math.max(LEAST, columns - WORD))) {
                lines.add(Line.of(Line.DIM, head + part));
                head = " ".repeat(WORD);
            }
        }
        return lines;
    }
}
