// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class BridgeProgramTest {
    @Test
    void shouldRefuseToRunWithoutACommand() {
        assertThat(BridgeProgram.run()).isEqualTo(2);
        assertThat(BridgeProgram.run("bridge")).isEqualTo(2);
    }

    private static String refused(String option, String value) {
        PrintStream err = System.err;
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            assertThat(BridgeProgram.run("bridge", "to-kafka", "--connect", "127.0.0.1:1", "--tags", "1", "--bootstrap",
                    "127.0.0.1:1", "--topic", "run", option, value)).isEqualTo(2);
        } finally {
            System.setErr(err);
        }
        return told.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldNameTheOptionThatMakesNoSense() {
        for (String rate : new String[] {"1e12", "1000000001", "0", "-1", "NaN", "Infinity", "many"}) {
            assertThat(refused("--rate", rate)).hasLineCount(1).contains("--rate");
        }
        for (String where : new String[] {"16", ":ns", "16:min", "-1:ns", "16:ns:big", "99999999999:ns", ""}) {
            assertThat(refused("--timestamp-at", where)).hasLineCount(1).contains("--timestamp-at", "16:ns");
        }
    }

    @Test
    void shouldReadWhereTheTimeIs() {
        TimestampOption.Converter converter = new TimestampOption.Converter();
        assertThat(converter.convert("16:ns")).isEqualTo(new TimestampOption(16, TimeUnit.NANOSECONDS, ByteOrder.BIG_ENDIAN));
        assertThat(converter.convert("0:us:little"))
                .isEqualTo(new TimestampOption(0, TimeUnit.MICROSECONDS, ByteOrder.LITTLE_ENDIAN));
    }

    @Test
    void shouldThrottleAtTheHighestRateToo() {
        assertThat(Throttle.to(Flux.range(0, 1_000), Throttle.MOST).count().block(Duration.ofSeconds(30))).isEqualTo(1_000);
    }
}
