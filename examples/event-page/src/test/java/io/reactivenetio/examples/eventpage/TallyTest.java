// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.eventpage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class TallyTest {
    private static byte[] event(long number, int links) {
        return ByteBuffer.allocate(12).putLong(number).putInt(links).array();
    }

    @Test
    void shouldCountEventsGapsAndDoubles() {
        Tally tally = new Tally();
        assertThat(tally.sample(1, 0, "")).isEqualTo(new Sample(1, 0, 0, 0, 0, 0, Collections.nCopies(16, 0L), ""));
        tally.add(event(1, 0xffff));
        tally.add(event(5, 0xfffd));
        tally.add(event(2, 0xfffc));
        tally.add(event(2, 0xffff));
        Sample sample = tally.sample(2, 7, "away");
        assertThat(sample.complete()).isEqualTo(1);
        assertThat(sample.incomplete()).isEqualTo(2);
        assertThat(sample.doubled()).isEqualTo(1);
        assertThat(sample.absent()).isEqualTo(2); // 3 and 4
        assertThat(sample.lag()).isEqualTo(7);
        assertThat(sample.gaps()).startsWith(1L, 2L, 0L).hasSize(16);
        assertThat(sample.problem()).isEqualTo("away");
    }
}
