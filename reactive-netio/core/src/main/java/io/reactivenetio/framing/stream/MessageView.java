// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.lease.PageLeases;
import io.reactivenetio.receive.FollowingMessages;
import io.reactivenetio.receive.MessageRun;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.wire.FrameReader;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Shows one whole message after the other to subscribers that take it at once, so that a small message costs no object. The
 * message lies in a page, which is not the view's. One view serves all streams of a connection. On the loop.
 */
final class MessageView implements FollowingMessages {
    /** The stream whose messages are shown. */
    interface Source {
        /** The tag of messages that have none in their frames. */
        long ownTag();

        /**
         * Moves to the next frame, and counts it, if that is a whole message that this stream may have now. If not, nothing
         * changes.
         */
        boolean takesNext(FrameReader frame);

        /** How many more messages may come, and how large they may be in bytes; 0 if none is wanted. */
        long outstanding();

        int largestMessage();

        /** Counts messages behind the one that the frame was at. */
        void took(int messages, int largest);

        /** Whether messages that arrive still count. */
        boolean goesOn();
    }

    private final FrameReader frame;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SMALL);
    private @Nullable Page page;
    private @Nullable ByteBuffer memory;
    private @Nullable ByteBuffer view;
    private @Nullable Source stream;
    private int offset;
    private int length;
    private long tag;
    private int status;

    MessageView(FrameReader frame) {
        this.frame = frame;
    }

    /** The whole message of {@code of} that the frame is at, in {@code page}, and those behind it. */
    MessageView show(Source of, Page itsPage) {
        stream = of;
        page = itsPage;
        memory = itsPage.buffer().data();
        showFrame(of);
        return this;
    }

    private Source stream() {
        return Objects.requireNonNull(stream);
    }

    private void showFrame(Source of) {
        show(frame.payloadOffset(), frame.payloadLength());
        tag = frame.isTagged() ? frame.tag() : of.ownTag();
        status = frame.status();
    }

    @Override
    public boolean next() {
        Source of = stream();
        if (!of.takesNext(frame)) {
            return false;
        }
        if (frame.isFollowing()) { // as nearly all frames are
            show(frame.payloadOffset(), frame.payloadLength());
        } else {
            showFrame(of);
        }
        return true;
    }

    // ---- the messages behind it, as a subscription finds them itself

    @Override
    public long following() {
        return stream().outstanding();
    }

    @Override
    public int largestFollowing() {
        return stream().largestMessage();
    }

    @Override
    public void show(int from, int bytes) {
        view = null;
        offset = from;
        length = bytes;
        status = 0;
    }

    @Override
    public int behind() {
        return frame.behind();
    }

    @Override
    public int end() {
        return frame.end();
    }

    @Override
    public boolean goesOn() {
        return stream().goesOn();
    }

    @Override
    public void skipTo(int messages, int largest, int from, int bytes) {
        stream().took(messages, largest);
        frame.skipTo(from, bytes);
    }

    @Override
    public ByteBuffer data() {
        ByteBuffer shown = view;
        if (shown == null) {
            shown = MessageRun.view(Objects.requireNonNull(memory), offset, length, scratch);
            view = shown;
        }
        return shown;
    }

    @Override
    public ByteBuffer inMemory() {
        return Objects.requireNonNull(memory);
    }

    @Override
    public int offset() {
        return offset;
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
