// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * A link at the end: what the detector says it did, and what arrived.
 *
 * @param tally the detector's account
 * @param received fragments received
 * @param bytes bytes in them
 * @param truncated of them, found truncated
 * @param corrupted of them, found corrupted
 * @param digest which were, see {@link FaultCount#digest}
 * @param missing fragments that were missed
 * @param misplaced fragments in the wrong place
 */
record LinkResult(LinkTally tally, long received, long bytes, long truncated, long corrupted, long digest, long missing,
        long misplaced) {

    static LinkResult of(LinkTally tally, ReadoutLink link) {
        FaultCount faults = link.faults();
        return new LinkResult(tally, link.received(), link.bytes(), faults.truncated(), faults.corrupted(), faults.digest(),
                link.missing(), link.misplaced());
    }

    /** What is not as it should be. */
    List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        if (received + missing != tally.sent()) {
            complaints.add("link " + tally.link() + " sent " + tally.sent() + " fragments and " + received + " arrived"
                    + (missing == 0 ? "" : ", and " + missing + " are known to be missed"));
        } else if (missing != 0) {
            complaints.add("link " + tally.link() + " missed " + missing + " fragments");
        } else if (bytes != tally.bytes()) {
            complaints.add("link " + tally.link() + " sent " + tally.bytes() + " bytes and " + bytes + " arrived");
        }
        if (misplaced != 0) {
            complaints.add("link " + tally.link() + " has " + misplaced + " fragments out of place");
        }
        if (missing == 0 && (truncated != tally.truncated() || corrupted != tally.corrupted() || digest != tally.digest())) {
            complaints.add("link " + tally.link() + " had other faults than were found");
        }
        return complaints;
    }
}
