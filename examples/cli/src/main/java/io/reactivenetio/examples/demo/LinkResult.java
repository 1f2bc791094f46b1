// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.demo.screen.Text;
import java.util.ArrayList;
import java.util.List;

/**
 * A link at the end.
 *
 * @param tally what the detector says it did
 * @param seen what arrived
 */
record LinkResult(LinkTally tally, Sample.Link seen) {

    /** What is not as it should be. */
    List<String> complaints() {
        long received = seen.received();
        long missing = seen.missing();
        List<String> complaints = new ArrayList<>();
        if (received + missing != tally.sent()) {
            complaints.add("link " + tally.link() + " sent " + tally.sent() + " fragments and " + received + " arrived"
                    + (missing == 0 ? "" : ", and " + missing + " are known to be missed"));
        } else if (missing != 0) {
            complaints.add("link " + tally.link() + " missed " + missing + " fragments");
        } else if (seen.bytes() != tally.bytes()) {
            complaints.add("link " + tally.link() + " sent " + tally.bytes() + " bytes and " + seen.bytes() + " arrived");
        }
        if (seen.misplaced() != 0) {
            complaints.add("link " + tally.link() + " has " + seen.misplaced() + " fragments out of place");
        }
        if (missing == 0 && (seen.truncated() != tally.truncated() || seen.corrupted() != tally.corrupted()
                || seen.digest() != tally.digest())) {
            complaints.add("link " + tally.link() + " had other faults than were found");
        }
        return complaints;
    }

    /** A number for each column of the summary; in/found where there are two. */
    List<String> cells() {
        return List.of(Integer.toString(tally.link()), Text.format("%,d", tally.sent()), Text.format("%,d", seen.received()),
                Text.format("%.2f", seen.bytes() / 1e6), Text.format("%,d/%,d", tally.truncated(), seen.truncated()),
                Text.format("%,d/%,d", tally.corrupted(), seen.corrupted()), Text.format("%,d", seen.missing()),
                Text.format("%,d", seen.stalls()));
    }

    String json() {
        return Text.format("{\"link\":%d,\"sent\":%d,\"received\":%d,\"bytes\":%d,"
                + "\"truncatedInjected\":%d,\"truncatedFound\":%d,\"corruptedInjected\":%d,\"corruptedFound\":%d,"
                + "\"missing\":%d,\"stalls\":%d}", tally.link(), tally.sent(), seen.received(), seen.bytes(), tally.truncated(),
                seen.truncated(), tally.corrupted(), seen.corrupted(), seen.missing(), seen.stalls());
    }
}
