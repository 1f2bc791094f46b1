// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class FramingTest {

    @Test
    void shouldRefuseAtOnceWhatIsWrongAlone() {
        try (NetioRegion region = NetioRegion.allocate(64)) {
            for (ThrowingCallable wrong : List.<ThrowingCallable>of(() -> Framing.stream().maxMessageSize(0),
                    () -> Framing.stream().reassemblyBudget(0), () -> Framing.stream().maxStreams(-1),
                    () -> Framing.stream().maxStreams((1 << 24) + 1), () -> Framing.stream().prefetch(-1),
                    () -> Framing.stream().serveTimeout(Duration.ofNanos(-1)), () -> Framing.page().watermark(0),
                    () -> Framing.page().flushInterval(Duration.ofMinutes(61)), () -> Framing.raw().sharedReceiveBuffers(0, 1),
                    () -> Framing.page().sharedSendBuffers(1, 0), () -> Framing.raw().region(region, 0, 1))) {
                assertThatThrownBy(wrong).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void shouldFindContradictionsWithoutBinding() {
        assertThatCode(NetioClient.create()::validate).doesNotThrowAnyException();
        assertThatThrownBy(NetioServer.create().framing(Framing.page().watermark(1001)).sendBuffers(1000, 1)::validate)
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("watermark of 1001 bytes");
        assertThatThrownBy(NetioClient.create().framing(Framing.stream().reassemblyBudget(1))::validate)
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("reassembly budget is 1");
    }

    @Test
    void shouldKeepTheSettingsOfStreamFraming() {
        NetioClient client = NetioClient.create().framing(Framing.stream().maxMessageSize(7));
        assertThat(client.framing(client.streamFraming().prefetch(1)).streamFraming().maxMessageSize()).isEqualTo(7);
        assertThat(client.framing(Framing.raw()).streamFraming().maxMessageSize()).isEqualTo(64 << 20);
        assertThat(List.of(Framing.raw(), Framing.page(), Framing.stream())).hasToString("[RAW, PAGE, STREAM]");
    }
}
