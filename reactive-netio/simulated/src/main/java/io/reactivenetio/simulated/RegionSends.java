// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulated;

import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a connection sends from a region: copies, made when they are sent. */
final class RegionSends {
    private final MemoryRegion region;
    private final MemoryRegion.Use use;
    private final int largest;
    private final int most;

    private RegionSends(ConnectionParameters parameters, MemoryRegion region) {
        this.region = region;
        this.use = region.acquire();
        this.largest = parameters.zeroCopySize();
        this.most = parameters.zeroCopySends();
    }

    /** Null if the connection has no region. */
    static @Nullable RegionSends of(ConnectionParameters parameters) {
        MemoryRegion region = parameters.region();
        return region == null ? null : new RegionSends(parameters, region);
    }

    /** How many may be in flight. */
    int most() {
        return most;
    }

    /** Throws IllegalArgumentException if the message can never be sent. */
    ByteBuffer copy(GatherList message) {
        if (message.bytes() > largest) {
            throw new IllegalArgumentException("a message of " + message.bytes() + " bytes; zero-copy messages of this connection"
                    + " have at most " + largest);
        }
        ByteBuffer copy = ByteBuffer.allocate((int) message.bytes());
        for (int i = 0; i < message.headerLength(); i++) {
            copy.put(message.header(i));
        }
        for (int i = 0; i < message.spans(); i++) {
            if (message.offset(i) > region.size() - message.length(i)) {
                throw new IllegalArgumentException("span " + i + ", " + message.length(i) + " bytes at " + message.offset(i)
                        + ", is outside the region of " + region.size() + " bytes");
            }
            MemorySegment.copy(region.segment(), message.offset(i), MemorySegment.ofBuffer(copy), 0, message.length(i));
            copy.position(copy.position() + (int) message.length(i));
        }
        return copy.flip();
    }

    void close() {
        use.release();
    }
}
