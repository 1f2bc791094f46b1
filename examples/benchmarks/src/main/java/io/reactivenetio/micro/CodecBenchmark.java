// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.NetioCodec;
import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A value is written into a buffer, or made of what is in one: a record by its codec and by hand, and text. */
@State(Scope.Thread)
public class CodecBenchmark {
    private static final int ROOM = 256;

    /** Where a hit was. */
    public record Place(int layer, short row, short column) {
    }

    /** A record with most kinds of components, of 39 bytes. */
    public record Hit(long time, Place place, int charge, float amplitude, double energy, short quality, boolean last,
            int count) {
    }

    /** What one would write instead. */
    private static final class ByHand implements NetioCodec<Hit> {
        private static final int BYTES = 39;

        @Override
        public int size(Hit hit) {
            return BYTES;
        }

        @Override
        public void encode(Hit hit, ByteBuffer target) {
            Place place = hit.place();
            target.putLong(hit.time()).putInt(place.layer()).putShort(place.row()).putShort(place.column())
                    .putInt(hit.charge()).putFloat(hit.amplitude()).putDouble(hit.energy()).putShort(hit.quality())
                    .put((byte) (hit.last() ? 1 : 0)).putInt(hit.count());
        }

        @Override
        public Hit decode(ByteBuffer message) {
            if (message.remaining() != BYTES) {
                throw new IllegalArgumentException(message + " is no hit");
            }
            return new Hit(message.getLong(), new Place(message.getInt(), message.getShort(), message.getShort()),
                    message.getInt(), message.getFloat(), message.getDouble(), message.getShort(), message.get() != 0,
                    message.getInt());
        }
    }

    /** Receive buffers are direct, and encoders write to a buffer in the heap. */
    @Param({"true", "false"})
    boolean direct;

    private final Hit hit = new Hit(1, new Place(2, (short) 3, (short) 4), 5, 6, 7, (short) 8, true, 9);
    private final String text = "a line of text that is as long as a name, and a word or two";
    private final NetioCodec<Hit> ofRecord = NetioCodec.ofRecord(Hit.class);
    private final NetioCodec<Hit> byHand = new ByHand();
    private final NetioCodec<String> utf8 = NetioCodec.utf8();
    private ByteBuffer written;
    private ByteBuffer target;
    private ByteBuffer line;

    @Setup
    public void allocate() {
        target = allocated();
        written = allocated();
        byHand.encode(hit, written);
        written.flip();
        line = allocated();
        utf8.encode(text, line);
        line.flip();
    }

    private ByteBuffer allocated() {
        return direct ? ByteBuffer.allocateDirect(ROOM) : ByteBuffer.allocate(ROOM);
    }

    private static <T> ByteBuffer encode(NetioCodec<T> codec, T value, ByteBuffer to) {
        codec.encode(value, to.clear().limit(codec.size(value)));
        return to;
    }

    @Benchmark
    public ByteBuffer encodeRecord() {
        return encode(ofRecord, hit, target);
    }

    @Benchmark
    public ByteBuffer encodeByHand() {
        return encode(byHand, hit, target);
    }

    @Benchmark
    public Hit decodeRecord() {
        return ofRecord.decode(written.position(0));
    }

    @Benchmark
    public Hit decodeByHand() {
        return byHand.decode(written.position(0));
    }

    @Benchmark
    public ByteBuffer encodeText() {
        return encode(utf8, text, target);
    }

    @Benchmark
    public String decodeText() {
        return utf8.decode(line.position(0));
    }
}
