// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ess;

import com.google.flatbuffers.FlatBufferBuilder;

/** Writes messages as their producers do: each field in the place that the schema gives it. */
final class EssBuffers {
    private static final int LOG_VALUE_TYPE = 2;
    private static final int LOG_VALUE = 3;
    private static final byte DOUBLE = 10;

    private EssBuffers() {
    }

    private static byte[] finished(FlatBufferBuilder builder, int table, EssMessage.Schema schema) {
        builder.finish(table, schema.identifier());
        return builder.sizedByteArray();
    }

    static byte[] events(String source, long number, long[] pulses, int[] indexes, int[] timesOfFlight, int[] pixels) {
        FlatBufferBuilder builder = new FlatBufferBuilder();
        int name = builder.createString(source);
        builder.startVector(Long.BYTES, pulses.length, Long.BYTES);
        for (int n = pulses.length - 1; n >= 0; n--) {
            builder.addLong(pulses[n]);
        }
        int times = builder.endVector();
        int starts = ints(builder, indexes);
        int flights = ints(builder, timesOfFlight);
        int places = ints(builder, pixels);
        builder.startTable(6);
        builder.addLong(1, number, 0);
        builder.addOffset(EssTable.EVENT_PIXEL, places, 0);
        builder.addOffset(EssTable.EVENT_TIME_OF_FLIGHT, flights, 0);
        builder.addOffset(EssTable.EVENT_REFERENCE_INDEX, starts, 0);
        builder.addOffset(EssTable.EVENT_REFERENCE_TIME, times, 0);
        builder.addOffset(EssTable.EVENT_SOURCE, name, 0);
        return finished(builder, builder.endTable(), EssMessage.Schema.EVENTS);
    }

    private static int ints(FlatBufferBuilder builder, int... values) {
        builder.startVector(Integer.BYTES, values.length, Integer.BYTES);
        for (int n = values.length - 1; n >= 0; n--) {
            builder.addInt(values[n]);
        }
        return builder.endVector();
    }

    static byte[] log(String source, long nanoseconds, double value) {
        FlatBufferBuilder builder = new FlatBufferBuilder();
        int name = builder.createString(source);
        builder.startTable(1);
        builder.addDouble(0, value, 0);
        int number = builder.endTable();
        builder.startTable(4);
        builder.addLong(EssTable.LOG_TIME, nanoseconds, 0);
        builder.addOffset(LOG_VALUE, number, 0);
        builder.addOffset(EssTable.LOG_SOURCE, name, 0);
        builder.addByte(LOG_VALUE_TYPE, DOUBLE, 0);
        return finished(builder, builder.endTable(), EssMessage.Schema.LOG);
    }

    static byte[] runStart(String run, long milliseconds) {
        FlatBufferBuilder builder = new FlatBufferBuilder();
        int name = builder.createString(run);
        int structure = builder.createString("{\"children\": []}");
        builder.startTable(12);
        builder.addLong(EssTable.START_TIME, milliseconds, 0);
        builder.addOffset(EssTable.START_NAME, name, 0);
        builder.addOffset(4, structure, 0);
        return finished(builder, builder.endTable(), EssMessage.Schema.RUN_START);
    }

    static byte[] runStop(String run, long milliseconds) {
        FlatBufferBuilder builder = new FlatBufferBuilder();
        int name = builder.createString(run);
        builder.startTable(5);
        builder.addLong(EssTable.STOP_TIME, milliseconds, 0);
        builder.addOffset(EssTable.STOP_NAME, name, 0);
        return finished(builder, builder.endTable(), EssMessage.Schema.RUN_STOP);
    }
}
