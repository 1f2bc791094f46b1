// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;

/** The tag and the status that go with a message which says both: they follow from its batch and its number in that. */
final class Labels {
    static final int FIRST = 1024;
    static final int LAST = FIRST + 15;
    /** All of them. */
    static final Tags ALL = Tags.range(FIRST, LAST);

    private static final int STATUSES = 256;

    private Labels() {
    }

    static TaggedMessage label(ByteBuffer message) {
        if (message.remaining() < Ledger.NAMED) {
            return new TaggedMessage(FIRST, 0, message);
        }
        int batch = Ledger.batch(message);
        int number = Ledger.number(message);
        return new TaggedMessage(tag(batch, number, message.remaining()), status(number), message);
    }

    /** Two in a row often have the same. */
    static long tag(int batch, int number, int size) {
        return size < Ledger.NAMED ? FIRST : FIRST + (batch + number / 3 & LAST - FIRST);
    }

    static int status(int number) {
        return number % 3 == 0 ? number % STATUSES : 0;
    }
}
