// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

/** The sums of all that was built. Its form is what Flink serializes without help: public fields, and nothing else to make it. */
public final class Totals {
    /** Events of which all fragments have come. */
    public long complete;
    /** Events of which some have come. */
    public long incomplete;
    /** Fragments in these events, for each link. */
    public long[] built;
    /** Fragments that came after their event was given up, for each link. */
    public long[] late;
    /** Fragments that the source said are missing, for each link. */
    public long[] missing;
    /** In how many gaps, for each link. */
    public long[] gaps;

    /** Called by Flink. */
    public Totals() {
        this(0);
    }

    Totals(int links) {
        built = new long[links];
        late = new long[links];
        missing = new long[links];
        gaps = new long[links];
    }

    /** How many events there are, complete or not. */
    long events() {
        return complete + incomplete;
    }

    void add(Built more) {
        switch (more.kind()) {
            case COMPLETE -> complete++;
            case INCOMPLETE -> incomplete++;
            default -> { }
        }
        for (int link = 0; link < built.length; link++) {
            if ((more.links() >> link & 1) == 1) {
                switch (more.kind()) {
                    case LATE -> late[link]++;
                    case MISSING -> {
                        missing[link] += more.fragments();
                        gaps[link]++;
                    }
                    default -> built[link]++;
                }
            }
        }
    }
}
