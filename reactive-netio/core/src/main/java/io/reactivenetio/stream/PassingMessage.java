// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.flow.TaggedBuffer;
import io.reactivenetio.wire.FrameReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Shows one whole message of a page after the other to those who take it at once, so that a small one costs no object. On the
 * loop.
 */
final class PassingMessage implements TaggedBuffer {
    /** A message of so many bytes is moved before it is shown: that costs less than an object which shows it where it lies. */
    private static final int SMALL = 128;

    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SMALL).order(ByteOrder.LITTLE_ENDIAN);
    private @Nullable ByteBuffer page;
    private @Nullable ByteBuffer view;
    private int offset;
    private int length;
    private long tag;
    private int status;

    /** The message that {@code frame} is at. */
    PassingMessage show(Page of, FrameReader frame, long itsTag) {
        page = of.buffer().data();
        view = null;
        offset = frame.payloadOffset();
        length = frame.payloadLength();
        tag = itsTag;
        status = frame.status();
        return this;
    }

    @Override
    public ByteBuffer data() {
        ByteBuffer shown = view;
        if (shown == null) {
            ByteBuffer from = Objects.requireNonNull(page);
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
