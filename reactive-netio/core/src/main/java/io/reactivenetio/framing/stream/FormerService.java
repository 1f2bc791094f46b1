// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for a service that has ended, while a subscription that was meant for it may be on its way. That subscription
 * completes, and is not served by the tag's next service. That may be a former one, too: then there is one in this place for
 * each subscription that may be on its way. On the loop.
 */
final class FormerService implements TagService {
    private final Right right;
    private @Nullable TagService successor;
    private boolean over;

    /** {@code right}: that of the service that has ended. */
    FormerService(Right right) {
        this.right = right;
    }

    @Override
    public Right right() {
        return right;
    }

    /** The tag's next service, if there is one. */
    @Nullable TagService successor() {
        return successor;
    }

    /** Whether no subscription can be on its way any more that was meant for the service that has ended. */
    boolean isOver() {
        return over;
    }

    void end() {
        over = true;
    }

    /** Makes {@code next} the tag's next service. Returns false if there is one already that has not ended. */
    boolean follow(TagService next) {
        FormerService last = this;
        while (last.successor instanceof FormerService former) {
            last = former;
        }
        if (last.successor != null) {
            return false;
        }
        last.successor = next;
        return true;
    }

    /** Puts {@code by}, or nothing, in the place of {@code next}, wherever that is behind this. Returns false if it is not. */
    boolean replace(TagService next, @Nullable TagService by) {
        FormerService before = this;
        while (before.successor != next) {
            if (!(before.successor instanceof FormerService former)) {
                return false;
            }
            before = former;
        }
        before.successor = by;
        return true;
    }

    @Override
    public StreamSource serve(Tags wanted, @Nullable SlowPolicy policy) {
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
