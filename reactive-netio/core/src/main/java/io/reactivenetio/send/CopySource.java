// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.SendBuffer;
import org.jspecify.annotations.Nullable;

/** One whose messages are in send buffers, or in memory of its own where none is left. On the loop. */
interface CopySource extends SendSource {
    /** Whether the next message is in memory of its own. */
    boolean isNextStaged();

    /** The next message to be sent, or null. */
    @Nullable SendBuffer next();

    /** The next message, copied from there to {@code buffer}. */
    @Nullable SendBuffer nextInto(SendBuffer buffer);
}
