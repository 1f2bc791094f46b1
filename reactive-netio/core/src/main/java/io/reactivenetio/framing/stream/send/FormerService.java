// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream.send;

import io.reactivenetio.wire.TagPattern;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for a service that has ended, while a subscription that was meant for it may be on its way. That subscription
 * completes, and is not served by the tag's next service. On the loop.
 */
final class FormerService implements TagService {
    private @Nullable TagService successor;

    /** The tag's next service, if there is one. */
    @Nullable TagService successor() {
        return successor;
    }

    /** Makes {@code next} the tag's next service. Returns false if there is one already. */
    boolean follow(TagService next) {
        if (successor != null) {
            return false;
        }
        successor = next;
        return true;
    }

    void unfollow(TagService next) {
        successor = successor == next ? null : successor;
    }

    @Override
    public StreamSource serve(TagPattern pattern, int policy) {
        return new StreamSource() {
            @Override
            public void open(StreamSourcePort port) {
                port.complete();
            }

            @Override
            public void requested(long n) {
                // there are no messages
            }

            @Override
            public @Nullable SharedMessage poll() {
                return null;
            }

            @Override
            public void closed() {
                // the service has ended before
            }
        };
    }
}
