// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.FramingProvider;
import io.reactivenetio.framing.raw.RawProvider;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.MemoryRegion;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** RAW framing and its settings, see {@link Framing#raw}. */
public final class RawFraming extends PlainFraming<RawFraming> {
    static final RawFraming DEFAULT = new RawFraming(Common.DEFAULT, null);

    private final @Nullable Sends sends;

    /** Sends without copying: from where, how large, and how many in flight at most. */
    private record Sends(MemoryRegion region, int largest, int number) {
        ConnectionParameters addedTo(ConnectionParameters common) {
            return common.withZeroCopy(region, largest, number);
        }
    }

    private RawFraming(Common common, @Nullable Sends sends) {
        super("RAW", common);
        this.sends = sends;
    }

    @Override
    RawFraming with(Common changed) {
        return new RawFraming(changed, sends);
    }

    /**
     * Lets connections send from {@code region} without copying, see {@link io.reactivenetio.api.NetioOutbound#sendRegion}. A
     * message has at most 8 MiB and at most the region and a header. At most 64 are in flight.
     */
    public RawFraming region(NetioRegion region) {
        return region(region, region.largestMessage(), ConnectionParameters.DEFAULT_ZERO_COPY_SENDS);
    }

    /**
     * Lets connections send from {@code region} without copying, with limits of one's own instead of those of
     * {@link #region(NetioRegion)}.
     *
     * @param largest bytes of the largest message, with its header
     * @param number how many messages are in flight at most
     * @throws IllegalArgumentException if {@code largest} is less than 1, or {@code number} is not 1 to 1,048,576
     */
    public RawFraming region(NetioRegion region, int largest, int number) {
        Sends added = new Sends(region.memory(), largest, number);
        added.addedTo(ConnectionParameters.defaults()); // refuses what is wrong
        return new RawFraming(common(), added);
    }

    @Override
    ConnectionParameters buffers(ConnectionParameters common) {
        return sends == null ? common : sends.addedTo(common);
    }

    @Override
    FramingProvider provider(Duration keepAlive) {
        return new RawProvider(emptyMessageEnds(), closeEnds());
    }
}
