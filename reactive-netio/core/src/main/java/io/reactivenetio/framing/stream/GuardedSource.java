// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.transport.exceptions.StreamError;
import org.jspecify.annotations.Nullable;

/**
 * The source that serves a stream, and the message that was polled of it and is not whole in pages yet. If the source throws
 * where it must not, its own stream fails, and not the page that is being read or written, in which other streams have frames.
 * The payloads are shared with other streams, and never changed. On the loop.
 */
final class GuardedSource {
    private final StreamSource source;
    private final StreamSourcePort port;
    private @Nullable SharedMessage next;
    /** The message of which some parts are in pages. */
    private @Nullable SharedMessage begun;

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
            port.failAfterPolled(StreamError.SOURCE_FAILED.code(), UserCode.text(t));
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
            port.fail(StreamError.SOURCE_FAILED.code(), UserCode.text(t));
            return null;
        }
    }

    /** Whether a message was polled and is in no page yet. */
    boolean hasPolled() {
        return next != null;
    }

    /** Forgets that message, which is whole in a page. */
    void take() {
        SharedMessage whole = next;
        next = null;
        if (whole != null) {
            whole.sent();
        }
    }

    /** Notes that the first part of that message is in a page. */
    void begin() {
        begun = next;
        next = null;
    }

    /** Forgets the message that is in parts, because the last one is in a page. */
    void endParts() {
        SharedMessage whole = begun;
        begun = null;
        if (whole != null) {
            whole.sent();
        }
    }

    boolean isEndless() {
        return source.isEndless();
    }

    /** Ends the stream, because the message that was polled cannot be sent. */
    void refuse(String why) {
        giveBack(next, true);
        next = null;
        port.fail(StreamError.LIMIT.code(), why);
    }

    /** Closes as {@link #close} does, because this side closes the connection in order. */
    void cut() {
        giveBack();
        try {
            source.cut();
        } catch (Throwable t) {
            port.loop().report(t);
        }
        close();
    }

    void close() {
        giveBack();
        try {
            source.closed();
        } catch (Throwable t) {
            port.loop().report(t);
        }
    }

    /** Gives back what is not whole in pages. There is one such message at most. */
    private void giveBack() {
        SharedMessage unsent = begun != null ? begun : next;
        begun = null;
        next = null;
        giveBack(unsent, false);
    }

    private void giveBack(@Nullable SharedMessage unsent, boolean refused) {
        if (unsent != null) {
            try {
                source.unsent(unsent, refused);
            } catch (Throwable t) {
                port.loop().report(t);
            }
        }
    }
}
