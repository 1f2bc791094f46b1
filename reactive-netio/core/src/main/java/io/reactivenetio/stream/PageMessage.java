// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.flow.TaggedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A whole message where it lies in a page. */
final class PageMessage implements TaggedBuffer {
    private final Page page;
    private final long tag;
    private final int status;
    private final ByteBuffer data;

    PageMessage(Page page, int offset, int length, long tag, int status) {
        this.page = page;
        this.tag = tag;
        this.status = status;
        this.data = page.buffer().data().slice(offset, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public ByteBuffer data() {
        return data;
    }

    @Override
    public int length() {
        return data.capacity();
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
        page.retain();
    }

    @Override
    public void release() {
        page.release();
    }
}
