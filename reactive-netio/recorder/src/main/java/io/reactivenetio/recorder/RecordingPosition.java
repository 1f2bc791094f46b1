// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.pubsub.Position;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where a reader of a recorded stream begins. Immutable. */
public final class RecordingPosition {
    enum Kind { BEGINNING, END, TIME, AFTER, AFTER_OR_OLDEST }

    private static final RecordingPosition BEGINNING = new RecordingPosition(Kind.BEGINNING, 0, 0);
    private static final RecordingPosition END = new RecordingPosition(Kind.END, 0, 0);

    private final Kind kind;
    private final long first;
    private final long second;

    private RecordingPosition(Kind kind, long first, long second) {
        this.kind = kind;
        this.first = first;
        this.second = second;
    }

    /** Begins with the oldest that there is. */
    public static RecordingPosition beginning() {
        return BEGINNING;
    }

    /** Behind the newest that there is when the reader subscribes: for one that follows. */
    public static RecordingPosition end() {
        return END;
    }

    /** With the first message that the recorder got at this time or later, by its clock. */
    public static RecordingPosition at(Instant time) {
        return new RecordingPosition(Kind.TIME, RecordedEvent.toNanos(time), 0);
    }

    /**
     * Behind the last message that the reader has. If what comes next was deleted, the reader is told a Gap. If the position is
     * beyond what is recorded of the run, the reader gets what comes behind the position, when it comes.
     */
    public static RecordingPosition after(Position last) {
        return new RecordingPosition(Kind.AFTER, last.run(), last.sequence());
    }

    /**
     * Begins as {@link #after} does, but with the oldest that there is if the run of the position is not recorded, where {@link
     * #after} fails with UNKNOWN_RUN. The reader is told of it: a {@link io.reactivenetio.pubsub.RunChange} to the oldest run,
     * and a Gap from that run's first number to the first message that is left. Nobody knows how many messages of the runs before
     * are missing.
     *
     * <p>It is for runs that were deleted because they were old. A recording that has lost its newest run, as when a machine
     * fails and nothing was forced to the disk, has an older one as its oldest: then messages come again that the reader has had.
     */
    public static RecordingPosition afterOrOldest(Position last) {
        return new RecordingPosition(Kind.AFTER_OR_OLDEST, last.run(), last.sequence());
    }

    /** The same with another message, for a reader that has come so far. */
    RecordingPosition behind(Position last) {
        return kind == Kind.AFTER_OR_OLDEST ? afterOrOldest(last) : after(last);
    }

    static RecordingPosition of(@Nullable Position last) {
        return last == null ? BEGINNING : after(last);
    }

    /** The same as two numbers say it, for the network. */
    static RecordingPosition of(Kind kind, long first, long second) {
        return switch (kind) {
            case BEGINNING -> BEGINNING;
            case END -> END;
            case TIME -> new RecordingPosition(kind, first, 0);
            case AFTER -> after(new Position(first, second));
            case AFTER_OR_OLDEST -> afterOrOldest(new Position(first, second));
        };
    }

    Kind kind() {
        return kind;
    }

    /** The time, or the run. */
    long first() {
        return first;
    }

    /** The number of the last message. */
    long second() {
        return second;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RecordingPosition position && kind == position.kind && first == position.first
                && second == position.second;
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, first, second);
    }

    @Override
    public String toString() {
        return switch (kind) {
            case BEGINNING -> "the beginning";
            case END -> "the end";
            case TIME -> RecordedEvent.toInstant(first).toString();
            case AFTER -> "after " + second + " of run " + Long.toUnsignedString(first, 16);
            case AFTER_OR_OLDEST -> after(new Position(first, second)) + ", or the oldest";
        };
    }
}
