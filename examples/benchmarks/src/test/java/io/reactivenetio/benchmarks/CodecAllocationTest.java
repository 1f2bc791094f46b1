// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.reactivenetio.NetioCodec;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the codecs allocate, once they are compiled: nothing to write a value, and the value itself to read one. */
@Timeout(600)
class CodecAllocationTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
    private static final int STRETCH = 20_000;

    /** One component of each kind. */
    public record All(boolean first, byte second, short third, char fourth, int fifth, long sixth, float seventh,
            double eighth) {
    }

    /** A record that is within others. */
    public record Point(int x, int y) {
    }

    /** Records within a record that is within another. */
    public record Track(Point from, Point to) {
    }

    /** Numbers and records. */
    public record Hit(long time, Point at, short charge, Track track) {
    }

    /** How many bytes one call allocates once everything is compiled. The least of many stretches counts. */
    private static double allocated(Runnable call) {
        long least = Long.MAX_VALUE;
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        for (int stretch = 0; stretch < 50 || least > 0 && stretch < 200 && System.nanoTime() < until; stretch++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < STRETCH; i++) {
                call.run();
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return (double) least / STRETCH;
    }

    @Test
    void shouldAllocateNothingButTheRecords() {
        NetioCodec<All> codec = NetioCodec.ofRecord(All.class);
        All all = new All(true, (byte) 2, (short) 3, '4', 5, 6, 7, 8);
        NetioCodec<Hit> nested = NetioCodec.ofRecord(Hit.class);
        Hit hit = new Hit(1, new Point(2, 3), (short) 4, new Track(new Point(5, 6), new Point(7, 8)));
        ByteBuffer target = ByteBuffer.allocateDirect(64);
        assertThat(allocated(() -> codec.encode(all, target.clear().limit(codec.size(all))))).isZero();
        assertThat(allocated(() -> nested.encode(hit, target.clear().limit(nested.size(hit))))).isZero();
        Object[] kept = new Object[1];
        codec.encode(all, target.clear().limit(30));
        double one = allocated(() -> kept[0] = new All(true, (byte) 2, (short) 3, '4', 5, 6, 7, 8));
        assertThat(one).isBetween(30.0, 48.0);
        assertThat(allocated(() -> kept[0] = codec.decode(target.position(0).limit(30)))).isEqualTo(one);
        double five = allocated(() -> kept[0] =
                new Hit(1, new Point(2, 3), (short) 4, new Track(new Point(5, 6), new Point(7, 8))));
        nested.encode(hit, target.clear().limit(34));
        assertThat(allocated(() -> kept[0] = nested.decode(target.position(0).limit(34)))).isEqualTo(five);
        assertThat(kept[0]).isEqualTo(hit);
    }

    @Test
    void shouldAllocateNothingToWriteText() {
        NetioCodec<String> codec = NetioCodec.utf8();
        ByteBuffer target = ByteBuffer.allocate(64);
        for (String text : new String[] {"plain text", "\u00e4\u20ac\ud83d\ude00"}) {
            assertThat(allocated(() -> codec.encode(text, target.clear().limit(codec.size(text))))).isZero();
        }
        assertThat(allocated(() -> NetioCodec.longs().encode(7L, target.clear().limit(8)))).isZero();
    }
}
