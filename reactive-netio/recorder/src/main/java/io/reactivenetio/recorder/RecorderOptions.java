// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.time.Duration;
import java.time.InstantSource;

/**
 * How a recorder writes. Immutable: each setting returns a changed copy.
 *
 * @param segmentBytes at which size a segment ends; 256 MiB unless set
 * @param blockBytes how large a block may grow, but for one with a single message that is larger; 256 KiB unless set
 * @param maxBytes the limit for all segments and their indexes together; none unless set
 * @param maxAge segments whose last message is older are deleted, whatever {@code whenFull} says; never unless set
 * @param whenFull what happens at the limit, or when the disk is full; DELETE_OLDEST unless set
 * @param fsync when files are brought to the disk; never unless set
 * @param linger how long messages wait for others that fill their block; 50 ms unless set
 * @param inFlightBytes how many bytes of messages wait in memory to be written, of all recordings together; 64 MiB unless set
 * @param clock tells the times of messages
 */
public record RecorderOptions(long segmentBytes, int blockBytes, long maxBytes, Duration maxAge, WhenFull whenFull, Fsync fsync,
        Duration linger, long inFlightBytes, InstantSource clock) {
    /** What all parts of a recorder log under: the name of {@link NetioRecorder}. */
    static final String LOGGER = RecorderOptions.class.getPackageName() + ".NetioRecorder";

    private static final int MIB = 1 << 20;
    private static final int MOST_BLOCK = 16 * MIB;
    private static final long LARGEST_SEGMENT = 1L << 40;
    private static final Duration LONGEST = Duration.ofDays(365_000);

    /** @throws IllegalArgumentException if a value is not within its bounds */
    public RecorderOptions {
        check("segmentBytes", segmentBytes, 2L * Format.PAGE, LARGEST_SEGMENT);
        check("blockBytes", blockBytes, Format.PAGE, MOST_BLOCK);
        check("maxBytes", maxBytes, 2L * Format.PAGE, Long.MAX_VALUE);
        check("inFlightBytes", inFlightBytes, Format.PAGE, Long.MAX_VALUE);
        check("maxAge", maxAge, Duration.ofNanos(1), LONGEST);
        check("linger", linger, Duration.ZERO, Duration.ofSeconds(2));
    }

    private static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ": " + value);
        }
    }

    private static void check(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ": " + value);
        }
    }

    /** What is said above. */
    public static RecorderOptions defaults() {
        return new RecorderOptions(256 * MIB, MIB / 4, Long.MAX_VALUE, LONGEST, WhenFull.DELETE_OLDEST, Fsync.never(),
                Duration.ofMillis(50), 64 * MIB, InstantSource.system());
    }

    /** Sets at which size a segment ends: 8,192 bytes to 1 TiB. A message that is larger has a segment of its own. */
    public RecorderOptions segmentBytes(long bytes) {
        return new RecorderOptions(bytes, blockBytes, maxBytes, maxAge, whenFull, fsync, linger, inFlightBytes, clock);
    }

    /** Sets how large a block may grow: 4,096 bytes to 16 MiB. */
    public RecorderOptions blockBytes(int bytes) {
        return new RecorderOptions(segmentBytes, bytes, maxBytes, maxAge, whenFull, fsync, linger, inFlightBytes, clock);
    }

    /**
     * Sets the limit for all segments and their indexes together, 8,192 bytes at least. It is not exceeded: what does not fit is
     * not written before {@link #whenFull} has made room. So that there is always an older segment to delete, segments end at
     * a quarter of it if that is less than {@link #segmentBytes}. A recording fails with FULL at a message that would not fit
     * alone.
     */
    public RecorderOptions maxBytes(long bytes) {
        return new RecorderOptions(segmentBytes, blockBytes, bytes, maxAge, whenFull, fsync, linger, inFlightBytes, clock);
    }

    /** Sets how long segments are kept after their last message. */
    public RecorderOptions maxAge(Duration age) {
        return new RecorderOptions(segmentBytes, blockBytes, maxBytes, age, whenFull, fsync, linger, inFlightBytes, clock);
    }

    /** Sets what happens at the limit, or when the disk is full. */
    public RecorderOptions whenFull(WhenFull policy) {
        return new RecorderOptions(segmentBytes, blockBytes, maxBytes, maxAge, policy, fsync, linger, inFlightBytes, clock);
    }

    /** Sets when files are brought to the disk. */
    public RecorderOptions fsync(Fsync when) {
        return new RecorderOptions(segmentBytes, blockBytes, maxBytes, maxAge, whenFull, when, linger, inFlightBytes, clock);
    }

    /**
     * Sets how long messages wait for others, 2 s at most. A block takes whole pages of 4,096 bytes: a stream that is slow takes
     * one page each time.
     */
    public RecorderOptions linger(Duration time) {
        return new RecorderOptions(segmentBytes, blockBytes, maxBytes, maxAge, whenFull, fsync, time, inFlightBytes, clock);
    }

    /**
     * Sets how many bytes of messages wait in memory, each counted with 64 bytes more. Each recording has an equal share, and may
     * always ask for one message. It is asked by the largest message so far, so that messages that suddenly grow take more. One
     * that begins takes its share while the others still have theirs: the second a half, the third a third, and so on.
     */
    public RecorderOptions inFlightBytes(long bytes) {
        return new RecorderOptions(segmentBytes, blockBytes, maxBytes, maxAge, whenFull, fsync, linger, bytes, clock);
    }

    /** Sets the clock, for tests. */
    public RecorderOptions clock(InstantSource source) {
        return new RecorderOptions(segmentBytes, blockBytes, maxBytes, maxAge, whenFull, fsync, linger, inFlightBytes, source);
    }
}
