// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.wire.SlowPolicy;
import io.reactivenetio.wire.TagPattern;
import org.jspecify.annotations.Nullable;

/** Serves what the peer subscribes to. On the loop. */
public interface TagService {
    /** What a new subscription is served with; null if none of these tags is served. */
    @Nullable StreamSource serve(TagPattern pattern, SlowPolicy policy);
}
