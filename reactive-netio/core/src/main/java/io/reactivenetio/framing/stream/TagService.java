// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import org.jspecify.annotations.Nullable;

/** Serves what the peer subscribes to. On the loop. */
public interface TagService {
    /** What a peer does that subscribes to it. */
    default Right right() {
        return Right.SUBSCRIBE;
    }

    /**
     * Makes the source of a new subscription. {@code policy} is what the subscriber wishes, or null. Returns
     * null if none of these tags is served.
     */
    @Nullable StreamSource serve(Tags wanted, @Nullable SlowPolicy policy);
}
