// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.wire.PageReader;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A page that arrived, of which messages are delivered or wait for demand. So messages that wait cost nothing but their page's
 * receive buffer. The backend owns that buffer, unless the page is kept. An object serves page after page. On the loop.
 */
public final class ReceivedPage implements ReceivedBuffer {
    private final PageRun run;
    private boolean kept;

    /** {@code scratch}: where small messages are shown, one at a time; {@link MessageRun#SMALL} bytes. */
    public ReceivedPage(boolean emptyMessageEnds, ByteBuffer scratch) {
        run = new PageRun(emptyMessageEnds, scratch);
    }

    /** Begins with the first message of {@code buffer}. False if there is none. */
    public boolean begin(ReceivedBuffer buffer) {
        kept = false;
        return run.begin(buffer);
    }

    /** Its messages, from the one that is next. */
    PageRun run() {
        return run;
    }

    /**
     * Keeps the page, because this message has to wait; looks at all behind it, so that what is wrong with them, and how many
     * there are, is known now.
     */
    void keep(PageReader scout) {
        retain();
        kept = true;
        run.countRest(scout);
    }

    /** There is nothing more to be done with it. */
    public void leave() {
        ReceivedBuffer buffer = run.page();
        run.end();
        if (kept) {
            kept = false;
            buffer.release();
        }
    }

    public boolean isKept() {
        return kept;
    }

    /** Whether one of its messages was the empty one that ends the stream. */
    public boolean endsStream() {
        return run.endsStream();
    }

    /** What is wrong behind its messages; null if nothing is. */
    public @Nullable ProtocolException failure() {
        return run.failure();
    }

    // ---- the page

    @Override
    public ByteBuffer data() {
        return run.page().data();
    }

    @Override
    public int length() {
        return run.page().length();
    }

    @Override
    public void retain() {
        run.page().retain();
    }

    @Override
    public void release() {
        run.page().release();
    }
}
