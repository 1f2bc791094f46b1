// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.util.ArrayList;
import java.util.List;

/** Checks that the numbers of a sequenced subscription have no holes, run by run, and counts what came and what is missing. */
final class RunCheck {
    /** What came of one run of the source. */
    static final class Run {
        private long arrived;
        private long missing;
        private long next;

        long arrived() {
            return arrived;
        }

        long missing() {
            return missing;
        }
    }

    private final List<Run> runs = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private long present;

    void take(SequencedEvent event) {
        switch (event) {
            case SequencedMessage message -> {
                Run run = run(message, message.sequence());
                run.next = message.sequence() + 1;
                run.arrived++;
            }
            case Gap gap -> {
                Run run = run(gap, gap.from());
                run.next = gap.to() + 1;
                run.missing += gap.messages();
            }
            case RunChange change -> begin(change.run());
        }
    }

    private void begin(long run) {
        present = run;
        runs.add(new Run());
    }

    private Run run(SequencedEvent event, long number) {
        if (runs.isEmpty()) { // the first one may have begun long ago
            begin(event.run());
            runs.getLast().next = number;
        } else if (event.run() != present) {
            fault(event.tags() + ": a run has begun that was not told");
            begin(event.run());
        }
        Run run = runs.getLast();
        if (number != run.next) {
            fault(event.tags() + ": " + number + " came where " + run.next + " was next");
        }
        return run;
    }

    void fault(String what) {
        faults.add(what);
    }

    List<Run> runs() {
        return runs;
    }

    List<String> faults() {
        return faults;
    }

    long arrived() {
        return runs.stream().mapToLong(Run::arrived).sum();
    }

    long missing() {
        return runs.stream().mapToLong(Run::missing).sum();
    }
}
