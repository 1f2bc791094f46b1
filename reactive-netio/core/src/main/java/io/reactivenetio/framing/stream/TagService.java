// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.wire.SlowPolicyCode;
import io.reactivenetio.wire.TagPattern;
import org.jspecify.annotations.Nullable;

/** Serves what the peer subscribes to. On the loop. */
public interface TagService {
    /**
     * Makes the source of a new subscription. {@code policy} is the {@link SlowPolicyCode} that the subscriber wishes. Returns
     * null if none of these tags is served.
     */
    @Nullable StreamSource serve(TagPattern pattern, int policy);
}
