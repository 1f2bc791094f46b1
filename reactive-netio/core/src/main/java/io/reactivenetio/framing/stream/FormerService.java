// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.wire.TagPattern;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for a service that has gone while a subscription meant for it may be on its way: that one completes, and does not
 * wait for who serves the tag next. On the loop.
 */
final class FormerService implements TagService {
    private @Nullable TagService successor;

    /** Who serves the tag from then on, if somebody does. */
    @Nullable TagService successor() {
        return successor;
    }

    /** False if there is one already. */
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
                // there is nothing
            }

            @Override
            public @Nullable SharedMessage poll() {
                return null;
            }

            @Override
            public void closed() {
                // it was over
            }
        };
    }
}
