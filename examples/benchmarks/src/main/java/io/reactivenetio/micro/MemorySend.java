// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.transport.backend.SendBuffer;
import java.nio.ByteBuffer;
import java.util.Queue;

/** A send buffer that is free again when it is in a queue. */
final class MemorySend implements SendBuffer {
    private final int key;
    private final Queue<MemorySend> free;
    private final ByteBuffer data = Memory.page();
    private int length;

    MemorySend(int key, Queue<MemorySend> free) {
        this.key = key;
        this.free = free;
    }

    @Override
    public ByteBuffer data() {
        return data;
    }

    @Override
    public void length(int bytes) {
        length = bytes;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public int key() {
        return key;
    }

    @Override
    public void release() {
        free.add(this);
    }
}
