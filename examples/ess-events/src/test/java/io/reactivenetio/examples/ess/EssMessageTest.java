// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivenetio.examples.ess.EssMessage.Schema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EssMessageTest {
    private static final long PULSE = 1_700_000_000_123_456_789L;
    private static final Instant PULSE_TIME = Instant.parse("2023-11-14T22:13:20.123456789Z");
    private static final byte[] EVENTS = EssBuffers.events("detector", 7, new long[] {PULSE, PULSE + 71_000_000},
            new int[] {0, 2}, new int[] {11, 22, 33}, new int[] {4, 5, 6});

    /** A run stop written by hand after FlatBuffers' description of its bytes: the root's offset, the identifier, and so on. */
    private static final String RUN_STOP_BY_HAND = "14000000" + "36733474" // the table is at byte 20; 6s4t
            + "0000" + "08001400" + "04000c00" + "0000" // padding; vtable: its bytes, the table's bytes, the fields' places
            + "0a000000" // the table: its vtable lies 10 bytes before
            + "58eb31bd8b010000" // stop_time = 1,699,983,829,848 ms
            + "0c000000" + "00000000" + "00000000" // run_name lies 12 bytes on
            + "05000000" + "72756e203700"; // 5 letters and a zero: run 7

    private static EssMessage read(byte... bytes) {
        return EssMessage.read(ByteBuffer.wrap(bytes));
    }

    @Test
    void shouldReadEachSchema() {
        assertThat(read(EVENTS)).isEqualTo(new EssMessage(Schema.EVENTS, "detector", PULSE_TIME, 3));
        assertThat(read(EssBuffers.log("chopper:speed", PULSE, 14.0)))
                .isEqualTo(new EssMessage(Schema.LOG, "chopper:speed", PULSE_TIME, 0));
        assertThat(read(EssBuffers.runStart("run 7", 1_700_000_000_000L)))
                .isEqualTo(new EssMessage(Schema.RUN_START, "run 7", Instant.ofEpochMilli(1_700_000_000_000L), 0));
        assertThat(read(EssBuffers.runStop("run 7", 0))).isEqualTo(new EssMessage(Schema.RUN_STOP, "run 7", null, 0));
    }

    @Test
    void shouldReadBytesWrittenByHand() {
        assertThat(read(HexFormat.of().parseHex(RUN_STOP_BY_HAND)))
                .isEqualTo(new EssMessage(Schema.RUN_STOP, "run 7", Instant.ofEpochMilli(0x18bbd31eb58L), 0));
    }

    @Test
    void shouldReadAmidABuffer() {
        ByteBuffer buffer = ByteBuffer.allocate(EVENTS.length + 13).position(5).put(EVENTS).flip().position(5);
        assertThat(EssMessage.read(buffer.asReadOnlyBuffer()).time()).isEqualTo(PULSE_TIME);
        assertThat(buffer.position()).isEqualTo(5);
    }

    @Test
    void shouldSayWhatIsWrong() {
        assertThatIllegalArgumentException().isThrownBy(() -> read(new byte[7])).withMessageContaining("7 bytes");
        byte[] unknown = "....ev42....".getBytes(StandardCharsets.US_ASCII);
        assertThatIllegalArgumentException().isThrownBy(() -> read(unknown))
                .withMessage("an unknown schema: ev42");
        assertThatIllegalArgumentException().isThrownBy(() -> read(EssBuffers.log("pv", -1, 0))).withMessageContaining("1970");
        for (int[] indexes : List.of(new int[] {0, 4}, new int[] {2, 1}, new int[] {-1, 0}, new int[] {0})) {
            assertThatIllegalArgumentException().isThrownBy(() -> read(EssBuffers.events("d", 1, new long[] {PULSE, PULSE},
                    indexes, new int[] {1, 2, 3}, new int[] {1, 2, 3})));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> read(EssBuffers.events("d", 1, new long[] {PULSE}, new int[] {0},
                new int[] {1, 2}, new int[] {1}))).withMessageContaining("do not belong together");
        assertThatIllegalArgumentException().isThrownBy(() -> read(EssBuffers.events("d", 1, new long[0], new int[0],
                new int[0], new int[0]))).withMessageContaining("0 pulses");
    }

    @Test
    void shouldRefuseDamagedMessagesInOneWayOnly() {
        Random random = new Random(5);
        int refused = 0;
        for (int n = 0; n < 50_000; n++) {
            byte[] bad = Arrays.copyOf(EVENTS, random.nextBoolean() ? EVENTS.length : random.nextInt(EVENTS.length + 1));
            for (int flips = random.nextInt(4); flips > 0 && bad.length > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) (random.nextBoolean() ? random.nextInt(256) : 0xff);
            }
            try {
                read(bad);
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(20_000);
    }
}
