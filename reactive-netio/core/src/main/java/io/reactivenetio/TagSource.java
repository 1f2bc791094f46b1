// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.wire.TagPattern;
import org.jspecify.annotations.Nullable;

/** What a publisher has for one tag or several. */
interface TagSource {
    /** Number of a source that gives its messages none. */
    long UNNUMBERED = -1;

    /** Whether a subscription to {@code wanted} gets messages of it. */
    boolean serves(TagPattern wanted);

    /** Why it has nothing for a subscriber with that policy; null if it has. */
    default @Nullable String refusal(SlowPolicy wished) {
        return null;
    }

    /** Whether its messages are for all subscribers, and go on without them. */
    default boolean isShared() {
        return false;
    }

    /** What holds between it and a subscriber with that policy. */
    default SlowPolicy policy(SlowPolicy wished) {
        return wished;
    }

    /** Fills {@code lane} from now on; returns the number of the next message for it, or {@link #UNNUMBERED}. On the loop. */
    long join(Lane lane, TagPattern wanted, EventLoop loop);

    /** Ends everything. */
    void close();
}
