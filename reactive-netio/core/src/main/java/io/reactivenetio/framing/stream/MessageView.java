// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.lease.MessageMemory;
import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.receive.MessageRun;
import io.reactivenetio.transport.ReceivedBuffer;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Shows one whole message after the other to subscribers that take it at once, so that a small message costs no object. The
 * message lies in a page, or was put together on the heap; the view owns neither. One view serves all streams of a connection. On
 * the loop.
 */
final class MessageView implements MessageRun {
    /** The stream whose messages are shown. */
    interface Source {
        int id();

        /** The tag of messages that have none in their frames. */
        long ownTag();

        /** Counts the whole message that the frame is at. False if the stream was cancelled by a message before it. */
        boolean takes(FrameReader frame) throws ProtocolException;
    }

    private final FrameCursor cursor;
    private final FrameReader frame;
    private final MessageMemory memories;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SMALL);
    private @Nullable Page page;
    private @Nullable ByteBuffer memory;
    private @Nullable ByteBuffer view;
    private @Nullable Source stream;
    private int offset;
    private int length;
    private long tag;
    private int status;
    private boolean moreFrames;
    private boolean given;
    private @Nullable ProtocolException failure;

    /** {@code memories}: where messages are put together. */
    MessageView(FrameCursor cursor, MessageMemory memories) {
        this.cursor = cursor;
        this.memories = memories;
        this.frame = cursor.frame();
    }

    /** The whole message of {@code of} that the frame is at, in {@code page}, and those behind it. */
    MessageView show(Source of, Page itsPage) {
        stream = of;
        failure = null;
        moreFrames = true;
        page = itsPage;
        memory = itsPage.buffer().data();
        showFrame(of);
        return this;
    }

    /** Whether the memory of the message that was put together belongs to the subscriber now. */
    boolean isGiven() {
        return given;
    }

    /** One that was put together, from position 0 to limit, and nothing behind it. Its last part came in {@code itsPage}. */
    MessageView showAlone(Page itsPage, ByteBuffer whole, long itsTag, int itsStatus) {
        stream = null;
        page = itsPage;
        given = false;
        memory = whole;
        view = null;
        offset = 0;
        length = whole.limit();
        tag = itsTag;
        status = itsStatus;
        return this;
    }

    private void showFrame(Source of) {
        view = null;
        offset = frame.payloadOffset();
        length = frame.payloadLength();
        tag = frame.isTagged() ? frame.tag() : of.ownTag();
        status = frame.status();
    }

    @Override
    public boolean next() {
        Source of = stream;
        if (of == null) {
            return false;
        }
        try {
            moreFrames = cursor.next();
            if (moreFrames && frame.isFollowing()) { // as nearly all frames are
                if (!of.takes(frame)) {
                    return false;
                }
                view = null;
                offset = frame.payloadOffset();
                length = frame.payloadLength();
                status = 0;
                return true;
            }
            if (!moreFrames || !frame.isWhole() || frame.stream() != of.id() || !of.takes(frame)) {
                return false;
            }
        } catch (ProtocolException e) {
            failure = e;
            return false;
        }
        showFrame(of);
        return true;
    }

    /** Whether the page has another frame, where the reader stands, after {@link #next} has returned false. */
    boolean hasMoreFrames() throws ProtocolException {
        ProtocolException thrown = failure;
        if (thrown != null) {
            failure = null;
            throw thrown;
        }
        return moreFrames;
    }

    @Override
    public ByteBuffer data() {
        ByteBuffer shown = view;
        if (shown == null) {
            ByteBuffer from = Objects.requireNonNull(memory);
            shown = length > SMALL ? from.slice(offset, length)
                    : scratch.clear().limit(length).put(0, from, offset, length);
            view = shown;
        }
        return shown;
    }

    /** The message as a copy. A message that was put together is a copy already, and is given away itself. */
    @Override
    public ByteBuffer copy() {
        ByteBuffer whole = memory;
        if (stream == null && whole != null && whole.capacity() == length) { // its array has nothing but the message
            given = true;
            return whole;
        }
        return ByteBuffer.allocate(length).put(0, Objects.requireNonNull(memory), offset, length);
    }

    @Override
    public int offset() {
        return offset;
    }

    @Override
    public @Nullable ByteBuffer whole() {
        if (stream != null) {
            return null;
        }
        given = true;
        return memory;
    }

    @Override
    public MessageMemory memory() {
        return memories;
    }

    @Override
    public ReceivedBuffer page() {
        return Objects.requireNonNull(page);
    }

    @Override
    public PageLeases leases() {
        return Objects.requireNonNull(page).leases();
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public int status() {
        return status;
    }
}
