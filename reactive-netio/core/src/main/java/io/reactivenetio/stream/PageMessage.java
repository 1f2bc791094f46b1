// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A whole message where it lies in a page. */
final class PageMessage implements ReceivedBuffer {
    private final Page page;
    private final ByteBuffer data;

    PageMessage(Page page, int offset, int length) {
        this.page = page;
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
    public void retain() {
        page.retain();
    }

    @Override
    public void release() {
        page.release();
    }
}
