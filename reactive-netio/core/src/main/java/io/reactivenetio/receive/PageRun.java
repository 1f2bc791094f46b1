// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.lease.MessageMemory;
import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.wire.PageReader;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a page one after the other: {@link #data}, {@link #tag} and the others speak of one of them, and {@link #next}
 * goes on to the one after. It counts them, and finds what is wrong with them. It owns neither the page nor a message; an object
 * serves page after page. On the loop.
 */
final class PageRun implements MessageRun {
    private static final int UNKNOWN = -1;

    private final boolean emptyMessageEnds;
    private final ByteBuffer scratch;
    private final PageReader reader = new PageReader();
    private final PageLeases leases = new PageLeases();
    private @Nullable ReceivedBuffer page;
    private @Nullable ByteBuffer view;
    /** Messages behind this one, once that was looked at. */
    private int left;
    private int messages;
    private long bytes;
    private boolean ends;
    private boolean through;
    private @Nullable ProtocolException failure;

    /** {@code scratch}: where small messages are shown, one at a time; {@link #SMALL} bytes. */
    PageRun(boolean emptyMessageEnds, ByteBuffer scratch) {
        this.emptyMessageEnds = emptyMessageEnds;
        this.scratch = scratch;
    }

    /** Begins with the first message of {@code buffer}. False if there is none. */
    boolean begin(ReceivedBuffer buffer) {
        page = buffer;
        left = UNKNOWN;
        leases.clear();
        messages = 0;
        bytes = 0;
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
            through = left-- == 0 || !read(reader);
            return !through;
        }
        if (!read(reader)) {
            through = true;
            return false;
        }
        messages++;
        bytes += reader.payloadLength();
        return true;
    }

    /** Whether the last message is behind it. */
    boolean isThrough() {
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
     * Looks at all messages behind this one, so that what is wrong with them, and how many there are, is known now. {@code scout}
     * is for looking at them.
     */
    void countRest(PageReader scout) {
        left = 0;
        scout.continueFrom(reader);
        while (read(scout)) {
            left++;
            messages++;
            bytes += scout.payloadLength();
        }
    }

    /** There is nothing more to be done with the page. */
    void end() {
        page = null;
        view = null;
        leases.clear();
    }

    /** How many messages are left in the page, with this one, after {@link #countRest}. */
    int waiting() {
        return left + 1;
    }

    /** Messages of the page, as far as they have been looked at: all, after {@link #countRest} or the last of {@link #next}. */
    int messages() {
        return messages;
    }

    long messageBytes() {
        return bytes;
    }

    /** Whether one of its messages was the empty one that ends the stream. */
    boolean endsStream() {
        return ends;
    }

    /** What is wrong behind its messages; null if nothing is. */
    @Nullable ProtocolException failure() {
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
    public ByteBuffer copy() {
        return ByteBuffer.allocate(length()).put(0, page().data(), reader.payloadOffset(), length());
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
    public @Nullable ByteBuffer whole() {
        return null;
    }

    @Override
    public @Nullable MessageMemory memory() {
        return null;
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
