// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.wire.PolicyCode;
import io.reactivenetio.wire.TagPattern;
import org.jspecify.annotations.Nullable;

/** Serves what the peer subscribes to. On the loop. */
public interface TagService {
    /** What a new subscription is served with, which wishes {@code policy}, a {@link PolicyCode}; null if nobody serves it. */
    @Nullable StreamSource serve(TagPattern pattern, int policy);
}
