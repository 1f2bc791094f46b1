// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import java.nio.ByteBuffer;

/** Where messages follow one of the same tag and with status 0. On the loop. */
public interface RunTarget {

    /** Writes {@code bytes} of {@code payload} from {@code from} on. False if they do not fit, and nothing has changed. */
    default boolean follow(ByteBuffer payload, int from, int bytes) {
        return false;
    }
}
