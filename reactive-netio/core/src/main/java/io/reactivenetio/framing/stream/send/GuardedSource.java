// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream.send;

import io.reactivenetio.wire.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The source that serves a stream, and the message that was polled of it and is in no page yet. If the source throws where it
 * must not, its own stream fails, and not the page that is being read or written, in which other streams have frames. The
 * payloads are shared with other streams, and never changed. On the loop.
 */
final class GuardedSource {
    private final StreamSource source;
    private final StreamSourcePort port;
    private @Nullable SharedMessage next;

    GuardedSource(StreamSource source, StreamSourcePort port) {
        this.source = source;
        this.port = port;
    }

    void open() {
        source.open(port);
    }

    void requested(long n) {
        try {
            source.requested(n);
        } catch (Throwable t) {
            port.fail(ErrorCode.SOURCE_FAILED, t.toString());
        }
    }

    /** The next message that is in no page yet. The source is polled for one if {@code asked}. Returns null if there is none. */
    @Nullable SharedMessage peek(boolean asked) {
        if (next == null && asked) {
            next = poll();
        }
        return next;
    }

    private @Nullable SharedMessage poll() {
        try {
            return source.poll();
        } catch (Throwable t) {
            port.fail(ErrorCode.SOURCE_FAILED, t.toString());
            return null;
        }
    }

    /** Whether a message was polled and is in no page yet. */
    boolean hasPolled() {
        return next != null;
    }

    /** Forgets that message, which is in a page, or whose first part is. */
    void take() {
        next = null;
    }

    boolean isEndless() {
        return source.isEndless();
    }

    /** Ends the stream, because the source has a message that cannot be sent. */
    void refuse(String why) {
        port.fail(ErrorCode.LIMIT, why);
    }

    void close() {
        next = null;
        try {
            source.closed();
        } catch (Throwable t) {
            port.loop().report(t);
        }
    }
}
