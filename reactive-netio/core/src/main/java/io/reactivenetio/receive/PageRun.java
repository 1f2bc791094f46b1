// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.wire.PageReader;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a page one after the other: {@link #data}, {@link #tag} and the others speak of one of them, and {@link #next}
 * goes on to the one after. It finds what is wrong with them. The backend owns the page, unless it is {@linkplain #keep kept}:
 * then messages that wait cost nothing but their page's receive buffer. An object serves page after page. On the loop.
 */
public final class PageRun implements HeldRun {
    private static final int UNKNOWN = -1;

    private final boolean emptyMessageEnds;
    private final ByteBuffer scratch;
    private final PageReader reader = new PageReader();
    private final PageLeases leases = new PageLeases();
    private @Nullable ReceivedBuffer page;
    private @Nullable ByteBuffer view;
    /** Messages behind this one, once that was looked at. */
    private int left;
    private long leftBytes;
    private boolean kept;
    private boolean ends;
    private boolean through;
    private @Nullable ProtocolException failure;

    /** {@code scratch}: where small messages are shown, one at a time; {@link #SMALL} bytes. */
    public PageRun(boolean emptyMessageEnds, ByteBuffer scratch) {
        this.emptyMessageEnds = emptyMessageEnds;
        this.scratch = scratch;
    }

    /** Begins with the first message of {@code buffer}. False if there is none. */
    public boolean begin(ReceivedBuffer buffer) {
        page = buffer;
        left = UNKNOWN;
        leases.clear();
        kept = false;
        ends = false;
        failure = null;
        through = false;
        reader.begin(buffer.data());
        return next();
    }

    /** False if this was the last message, also where the page ends the stream or is malformed. */
    @Override
    public boolean next() {
        view = null;
        if (left >= 0) {
            leftBytes -= reader.payloadLength();
            through = left-- == 0 || !read(reader);
        } else {
            through = !read(reader);
        }
        return !through;
    }

    /** Whether the last message is behind it. */
    public boolean isThrough() {
        return through;
    }

    private boolean read(PageReader from) {
        try {
            if (!from.next()) {
                return false;
            }
        } catch (ProtocolException e) {
            failure = e;
            return false;
        }
        ends = emptyMessageEnds && from.payloadLength() == 0;
        return !ends;
    }

    /**
     * Keeps the page until {@link #leave}, because this message has to wait. Looks with {@code scout} at all behind it, so that
     * what is wrong with them, and how many there are, is known now.
     */
    public PageRun keep(PageReader scout) {
        page().retain();
        kept = true;
        left = 0;
        leftBytes = reader.payloadLength();
        scout.continueFrom(reader);
        while (read(scout)) {
            left++;
            leftBytes += scout.payloadLength();
        }
        return this;
    }

    public boolean isKept() {
        return kept;
    }

    @Override
    public void leave() {
        ReceivedBuffer buffer = page();
        page = null;
        view = null;
        leases.clear();
        if (kept) {
            buffer.release();
        }
    }

    @Override
    public int waiting() {
        return left + 1;
    }

    @Override
    public long waitingBytes() {
        return leftBytes;
    }

    @Override
    public int heldBytes() {
        return page().length();
    }

    /** Whether one of its messages was the empty one that ends the stream. */
    public boolean endsStream() {
        return ends;
    }

    /** What is wrong behind its messages; null if nothing is. */
    public @Nullable ProtocolException failure() {
        return failure;
    }

    // ---- the message

    @Override
    public long tag() {
        return reader.tag();
    }

    @Override
    public int status() {
        return reader.status();
    }

    @Override
    public int length() {
        return reader.payloadLength();
    }

    @Override
    public ByteBuffer data() {
        ByteBuffer shown = view;
        if (shown == null) {
            shown = MessageRun.view(page().data(), reader.payloadOffset(), length(), scratch);
            view = shown;
        }
        return shown;
    }

    @Override
    public ByteBuffer inMemory() {
        return page().data();
    }

    @Override
    public int offset() {
        return reader.payloadOffset();
    }

    @Override
    public PageLeases leases() {
        return leases;
    }

    @Override
    public ReceivedBuffer page() {
        return Objects.requireNonNull(page);
    }
}
