// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.reactivenetio.examples.demo.event.Fault;
import io.reactivenetio.examples.demo.event.FaultCount;
import io.reactivenetio.examples.demo.event.FaultInjector;
import io.reactivenetio.examples.demo.event.FragmentCodec;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class FaultInjectorTest {
    private static final int EVENTS = 100_000;

    private final FragmentCodec codec = new FragmentCodec();
    private final ByteBuffer buffer = ByteBuffer.allocate(FragmentCodec.MAX_SIZE);
    private final HitGenerator generator = new HitGenerator(2, 3); // many fragments without hits
    private final int[] hits = new int[100];

    @Test
    void shouldCountExactlyWhatTheDecoderFinds() {
        FaultInjector injector = new FaultInjector(10, 5);
        FaultCount found = new FaultCount();
        for (int event = 0; event < EVENTS; event++) {
            codec.encode(buffer, 1, event, 0, hits, generator.fill(hits));
            Fault injected = injector.apply(buffer, event);
            Fault decoded = codec.decode(buffer).fault();
            assertThat(decoded).as("event %d", event).isEqualTo(injected);
            assertThat(buffer.remaining()).isPositive();
            found.add(decoded, event);
        }
        assertThat(found.truncated()).isEqualTo(injector.count().truncated());
        assertThat(found.corrupted()).isEqualTo(injector.count().corrupted());
        assertThat(found.digest()).isEqualTo(injector.count().digest());
        assertThat((double) (found.truncated() + found.corrupted()) / EVENTS).isCloseTo(0.1, within(0.01));
    }

    @Test
    void shouldLeaveAllWholeWithoutFaults() {
        FaultInjector injector = new FaultInjector(0, 5);
        codec.encode(buffer, 1, 1, 0, hits, 8);

        for (int i = 0; i < 1000; i++) {
            assertThat(injector.apply(buffer, i)).isEqualTo(Fault.NONE);
        }
        assertThat(codec.decode(buffer).fault()).isEqualTo(Fault.NONE);
    }

    @Test
    void shouldTellTheSameNumberOfFaultsInOtherPlaces() {
        FaultCount a = new FaultCount();
        a.add(Fault.TRUNCATED, 1);
        a.add(Fault.CORRUPTED, 2);
        FaultCount b = new FaultCount();
        b.add(Fault.CORRUPTED, 1);
        b.add(Fault.TRUNCATED, 2);

        assertThat(a.truncated()).isEqualTo(b.truncated());
        assertThat(a.digest()).isNotEqualTo(b.digest());
    }

    @Test
    void shouldRefuseWhatIsNoPercentage() {
        assertThatIllegalArgumentException().isThrownBy(() -> new FaultInjector(101, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new FaultInjector(-1, 1));
    }
}
