// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import org.jspecify.annotations.Nullable;

/** The frames of a stream page; docs/wire-format.md says what each means. */
public enum FrameType {
    /** A message or a part of one. */
    DATA(0, 0, 0),
    /** Opens a stream, named by the side that will receive it. */
    SUBSCRIBE(0xc1, 24, 24),
    /** Adds to the demand of a stream. */
    REQUEST(0xc2, 12, 12),
    /** Cancels a stream. */
    CANCEL(0xc3, 4, 4),
    /** The end of a stream, with the number of its messages. */
    COMPLETE(0xc4, 12, 12),
    /** The end of a stream, or of the connection, for a reason. */
    ERROR(0xc5, 8, 8 + FrameType.MAX_TEXT),
    /** Asks for a PONG with the same value. */
    PING(0xc6, 8, 8),
    /** Says that everything before the PING of this value has arrived. */
    PONG(0xc7, 8, 8),
    /** The number of the stream's next message, and in which run; may be left out. */
    SUBSCRIBED(0x88, 12, 20),
    /** How many messages were dropped for a slow subscriber; may be left out. */
    DROPPED(0x89, 12, 12),
    /** How many messages wait for a slow subscriber, and how many may; may be left out. */
    QUEUED(0x8a, 12, 12);

    /** The largest size of an ERROR's text, in bytes. */
    public static final int MAX_TEXT = 512;

    /** The stream number that means the connection, in an ERROR. */
    public static final int CONNECTION = -1;

    /** The bit of frames that are not DATA. */
    static final int CONTROL = 0x80;
    /** The bit of frames that a receiver has to know: one that does not must not go on. */
    static final int CRITICAL = 0x40;
    static final int MAX_LENGTH = (1 << 24) - 1;
    static final int HEADER = Integer.BYTES;

    static final int FIRST = 1;
    static final int LAST = 1 << 1;
    static final int STREAM = 1 << 2;
    static final int TAG = 1 << 3;
    static final int STATUS = 1 << 4;
    static final int RESERVED = 0x60;

    private static final @Nullable FrameType[] BY_KIND = new FrameType[256];

    static {
        for (FrameType type : values()) {
            if (type != DATA) {
                BY_KIND[type.kind] = type;
            }
        }
    }

    final int kind;
    final int shortest;
    final int longest;

    FrameType(int kind, int shortest, int longest) {
        this.kind = kind;
        this.shortest = shortest;
        this.longest = longest;
    }

    /** The frame of this kind, the highest byte of its header, if it is known and not DATA; else null. */
    static @Nullable FrameType of(int kind) {
        return BY_KIND[kind];
    }
}
