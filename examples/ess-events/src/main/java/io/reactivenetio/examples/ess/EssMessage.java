// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ess;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a message says of itself. Messages are FlatBuffers by four schemas of ess-dmsc/streaming-data-types.
 *
 * @param schema which schema it is by
 * @param name its source, or its run
 * @param time when the event was; null if the message does not say so, as a start of a run may do
 * @param events how many neutrons it has, 0 where it has none
 */
record EssMessage(Schema schema, String name, @Nullable Instant time, int events) {
    /** A schema, with the four letters behind the root's offset that name it. */
    enum Schema {
        /** Neutrons of one pulse or several. */
        EVENTS("ev44"),
        /** A value of the slow control. */
        LOG("f144"),
        /** The beginning of a run. */
        RUN_START("pl72"),
        /** The end of a run. */
        RUN_STOP("6s4t");

        private final String identifier;

        Schema(String identifier) {
            this.identifier = identifier;
        }

        String identifier() {
            return identifier;
        }
    }

    private static final int NANOSECONDS = 1_000_000_000;
    private static final int IDENTIFIER_BYTES = 4;
    private static final int ROOT_BYTES = Integer.BYTES + IDENTIFIER_BYTES;

    /**
     * Reads the message between the buffer's position and limit, which stay as they are.
     *
     * @throws IllegalArgumentException if it is by none of the schemas, or is damaged
     */
    static EssMessage read(ByteBuffer message) {
        if (message.remaining() < ROOT_BYTES) {
            throw new IllegalArgumentException("a message of " + message.remaining() + " bytes, which has no room for a schema");
        }
        byte[] letters = new byte[IDENTIFIER_BYTES];
        message.get(message.position() + Integer.BYTES, letters);
        String identifier = new String(letters, StandardCharsets.ISO_8859_1);
        Schema schema = Arrays.stream(Schema.values()).filter(one -> one.identifier.equals(identifier)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("an unknown schema: " + identifier));
        try {
            EssTable table = new EssTable(message);
            return switch (schema) {
                case EVENTS -> events(table);
                case LOG -> new EssMessage(schema, table.requiredText(EssTable.LOG_SOURCE),
                        ofNanoseconds(table.number(EssTable.LOG_TIME)), 0);
                case RUN_START -> new EssMessage(schema, table.text(EssTable.START_NAME),
                        ofMilliseconds(table.number(EssTable.START_TIME)), 0);
                case RUN_STOP -> new EssMessage(schema, table.text(EssTable.STOP_NAME),
                        ofMilliseconds(table.number(EssTable.STOP_TIME)), 0);
            };
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("a damaged message of " + message.remaining() + " bytes by " + identifier, e);
        }
    }

    /** The neutrons of pulse n are those from its index on, up to the index of the next pulse. */
    private static EssMessage events(EssTable table) {
        int pulses = table.length(EssTable.EVENT_REFERENCE_TIME);
        int neutrons = table.length(EssTable.EVENT_TIME_OF_FLIGHT);
        int pixels = table.length(EssTable.EVENT_PIXEL);
        if (pulses == 0 || table.length(EssTable.EVENT_REFERENCE_INDEX) != pulses || pixels != 0 && pixels != neutrons) {
            throw new IllegalArgumentException(pulses + " pulses, " + table.length(EssTable.EVENT_REFERENCE_INDEX)
                    + " indexes, " + neutrons + " times of flight and " + pixels + " pixels do not belong together");
        }
        int before = 0;
        for (int n = 0; n < pulses; n++) {
            int index = table.intOf(EssTable.EVENT_REFERENCE_INDEX, n);
            if (index < before || index > neutrons) {
                throw new IllegalArgumentException("pulse " + n + " begins with neutron " + index + " of " + neutrons);
            }
            before = index;
        }
        table.checkEnd(EssTable.EVENT_TIME_OF_FLIGHT, neutrons, Integer.BYTES);
        table.checkEnd(EssTable.EVENT_PIXEL, pixels, Integer.BYTES);
        return new EssMessage(Schema.EVENTS, table.requiredText(EssTable.EVENT_SOURCE),
                ofNanoseconds(table.longOf(EssTable.EVENT_REFERENCE_TIME, 0)), neutrons);
    }

    private static Instant ofNanoseconds(long time) {
        return Instant.ofEpochSecond(Math.floorDiv(positive(time), NANOSECONDS), time % NANOSECONDS);
    }

    private static @Nullable Instant ofMilliseconds(long time) {
        return time == 0 ? null : Instant.ofEpochMilli(positive(time));
    }

    private static long positive(long time) {
        if (time < 0) {
            throw new IllegalArgumentException("a time before 1970, or beyond 2262: " + time);
        }
        return time;
    }
}
