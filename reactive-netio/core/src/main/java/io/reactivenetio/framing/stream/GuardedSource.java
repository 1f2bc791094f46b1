// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import org.jspecify.annotations.Nullable;

/**
 * A feed whose source may throw where it must not: then its own stream fails, and not the page that is being read or written, in
 * which other streams have frames. On the loop.
 */
record GuardedSource(StreamSource feed, OutStream stream) implements StreamSource {
    @Override
    public void open(StreamSourcePort port) {
        feed.open(port);
    }

    @Override
    public void requested(long n) {
        try {
            feed.requested(n);
        } catch (Throwable t) {
            stream.fail(OutStream.SOURCE_FAILED, t.toString());
        }
    }

    @Override
    public @Nullable SharedMessage poll() {
        try {
            return feed.poll();
        } catch (Throwable t) {
            stream.fail(OutStream.SOURCE_FAILED, t.toString());
            return null;
        }
    }

    @Override
    public boolean isEndless() {
        return feed.isEndless();
    }

    @Override
    public void closed() {
        try {
            feed.closed();
        } catch (Throwable t) {
            stream.loop().report(t);
        }
    }
}
