// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpRequest;

/** Room for some messages, and what UCX is doing with each. */
final class JucxSlots {
    private final JucxEnd end;
    private final int size;
    private final ByteBuffer memory;
    private final long address;
    private final @Nullable UcpRequest[] requests;

    JucxSlots(JucxEnd end, int count, int size) {
        this.end = end;
        this.size = size;
        memory = ByteBuffer.allocateDirect(Math.multiplyExact(count, size)).order(ByteOrder.LITTLE_ENDIAN);
        address = UcxUtils.getAddress(memory);
        requests = new UcpRequest[count];
    }

    /** The slot of the {@code turn}th message, when they take turns. */
    int slot(long turn) {
        return (int) (turn % requests.length);
    }

    JucxSlots receiveAll() {
        for (int slot = 0; slot < requests.length; slot++) {
            receive(slot);
        }
        return this;
    }

    void receive(int slot) {
        requests[slot] = end.receive(address + (long) slot * size, size);
    }

    void send(int slot) {
        requests[slot] = end.send(address + (long) slot * size, size);
    }

    /** Sends this number as soon as the message before has left the slot. */
    void send(int slot, long number) {
        await(slot);
        memory.putLong(slot * size, number);
        send(slot);
    }

    /** Waits until UCX has done with the slot; the number there. */
    long await(int slot) {
        UcpRequest request = requests[slot];
        if (request != null) {
            end.await(request);
            requests[slot] = null;
        }
        return memory.getLong(slot * size);
    }

    void awaitAll() {
        for (int slot = 0; slot < requests.length; slot++) {
            await(slot);
        }
    }

    void cancel() {
        for (UcpRequest request : requests) {
            if (request != null) {
                end.cancel(request);
            }
        }
    }
}
