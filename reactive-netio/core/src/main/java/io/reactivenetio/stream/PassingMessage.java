// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.flow.TaggedBuffer;
import io.reactivenetio.wire.FrameReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Shows one whole message after the other, in a page or put together, to those who take it at once, so that a small one costs no
 * object. On the loop.
 */
final class PassingMessage implements TaggedBuffer {
    /** A message of so many bytes is moved before it is shown: that costs less than an object which shows it where it lies. */
    private static final int SMALL = 128;

    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SMALL).order(ByteOrder.LITTLE_ENDIAN);
    private @Nullable ByteBuffer memory;
    private @Nullable ByteBuffer view;
    private int offset;
    private int length;
    private long tag;
    private int status;

    /** The message that {@code frame} is at. */
    PassingMessage show(Page of, FrameReader frame, long itsTag) {
        return show(of.buffer().data(), frame.payloadOffset(), frame.payloadLength(), itsTag, frame.status());
    }

    /** One that was put together, from position 0 to limit. */
    PassingMessage show(ByteBuffer whole, long itsTag, int itsStatus) {
        return show(whole, 0, whole.limit(), itsTag, itsStatus);
    }

    private PassingMessage show(ByteBuffer from, int at, int bytes, long itsTag, int itsStatus) {
        memory = from;
        view = null;
        offset = at;
        length = bytes;
        tag = itsTag;
        status = itsStatus;
        return this;
    }

    @Override
    public ByteBuffer data() {
        ByteBuffer shown = view;
        if (shown == null) {
            ByteBuffer from = Objects.requireNonNull(memory);
            shown = length > SMALL ? from.slice(offset, length).order(ByteOrder.LITTLE_ENDIAN)
                    : scratch.clear().limit(length).put(0, from, offset, length).order(ByteOrder.LITTLE_ENDIAN);
            view = shown;
        }
        return shown;
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

    @Override
    public void retain() {
        throw new UnsupportedOperationException("it shows another message next");
    }

    @Override
    public void release() {
        throw new UnsupportedOperationException("it was not retained");
    }
}
