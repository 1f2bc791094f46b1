// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.MemoryRegion;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The zero-copy sends of one endpoint, and their headers. The lock of the endpoint's sends guards it all. */
public final class GatherPool {
    private final MemoryRegion region;
    private final MemoryRegion.Use use;
    private final int largest;
    private final Slab headers;
    private final GatherSlot[] slots;
    /** The provider's limit of entries. Any thread may read it. */
    private volatile int mostSpans = GatherList.MAX_SPANS;
    private boolean closed;

    public GatherPool(ConnectionParameters parameters, MemoryRegion region, int headroom) {
        this.region = region;
        this.largest = parameters.zeroCopySize();
        this.use = region.acquire(); // first, because it may fail, and then there is nothing to give back
        this.headers = headers(parameters.zeroCopySends(), headroom);
        try {
            this.slots = new GatherSlot[parameters.zeroCopySends()];
            for (int i = 0; i < slots.length; i++) {
                slots[i] = new GatherSlot(i, headers);
            }
        } catch (Error e) {
            headers.retire(0);
            use.release();
            throw e;
        }
    }

    private Slab headers(int number, int headroom) {
        try {
            return new Slab(number, GatherList.MAX_HEADER, headroom);
        } catch (RuntimeException | Error e) {
            use.release();
            throw e;
        }
    }

    public MemoryRegion region() {
        return region;
    }

    /** The memory of the headers. Headroom precedes each of them. */
    public Slab headers() {
        return headers;
    }

    public GatherSlot slot(int index) {
        return slots[index];
    }

    public int slots() {
        return slots.length;
    }

    /** The provider gathers at most {@code entries} entries. */
    public void limitEntries(int entries) {
        mostSpans = Math.min(GatherList.MAX_SPANS, entries);
    }

    /** Throws if the message can never be sent. It checks the copy, because another thread may change the original. */
    private void check(GatherSlot message) {
        if (message.size() > largest) {
            throw new IllegalArgumentException("a message of " + message.size() + " bytes; zero-copy messages of this connection"
                    + " have at most " + largest);
        }
        int entries = message.spans() + (message.headerLength() > 0 ? 1 : 0);
        if (entries > mostSpans) {
            throw new IllegalArgumentException(message.spans() + " spans" + (message.headerLength() > 0 ? " and a header" : "")
                    + "; this provider gathers at most " + mostSpans + " entries");
        }
        for (int i = 0; i < message.spans(); i++) {
            if (message.address(i) < 0 || message.length(i) < 0 || message.address(i) > region.size() - message.length(i)) {
                throw new IllegalArgumentException("span " + i + ", " + message.length(i) + " bytes at " + message.address(i)
                        + ", is outside the region of " + region.size() + " bytes");
            }
        }
    }

    int available() {
        return headers.available();
    }

    /** Takes a slot for {@code message}. The result is null if all are in flight. Throws if the message can never be sent. */
    @Nullable GatherSlot take(GatherList message, long key) {
        int index = headers.acquire();
        if (index < 0) {
            return null;
        }
        GatherSlot slot = slots[index];
        try {
            slot.copy(message, key);
            check(slot);
        } catch (RuntimeException e) {
            headers.free(index);
            throw e;
        }
        slot.place(region.segment().address());
        slot.inFlight = true;
        return slot;
    }

    void free(GatherSlot slot) {
        slot.inFlight = false;
        headers.free(slot.index());
    }

    /**
     * Ends the sends in flight and adds their keys to {@code cancelled}. {@code released} says that the provider does not read
     * the region and the headers any more: then they are given back.
     */
    public void close(List<SendKey> cancelled, boolean released) {
        if (closed) {
            return;
        }
        closed = true;
        for (GatherSlot slot : slots) {
            if (slot.inFlight) {
                cancelled.add(new SendKey(SendKind.ZERO_COPY, slot.key()));
                free(slot);
            }
        }
        if (released) {
            headers.retire(0);
            use.release();
        }
    }
}
