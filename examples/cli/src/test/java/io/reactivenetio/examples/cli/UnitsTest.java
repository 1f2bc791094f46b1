// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** The small parts on their own. */
class UnitsTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void shouldWriteJson() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("a\"b", "line\n\ttab \\ \u0001 ü");
        object.put("list", Arrays.asList(1, 2.5, true, null, Double.NaN));
        object.put("empty", Map.of());
        assertThat(Json.write(object)).isEqualTo(
                "{\"a\\\"b\":\"line\\n\\ttab \\\\ \\u0001 ü\",\"list\":[1,2.5,true,null,null],\"empty\":{}}");
    }

    @Test
    void shouldParseAddresses() {
        HostPort.Converter converter = new HostPort.Converter();
        assertThat(converter.convert("host.example:7000")).isEqualTo(new HostPort("host.example", 7000));
        assertThat(converter.convert("127.0.0.1:0")).isEqualTo(new HostPort("127.0.0.1", 0));
        assertThat(converter.convert("[::1]:65535")).isEqualTo(new HostPort("::1", 65_535));
        for (String wrong : List.of("", "host", "host:", ":1", "::1:1", "[]:1", "a b:1", "host:65536", "host:-1")) {
            assertThatThrownBy(() -> converter.convert(wrong)).as(wrong).isInstanceOf(TypeConversionException.class);
        }
    }

    @Test
    void shouldReadTheSizeOfATerminal() {
        Terminal.Size otherwise = new Terminal.Size(70, 20);
        assertThat(Terminal.parse("24 80\n", otherwise)).isEqualTo(new Terminal.Size(80, 24));
        assertThat(Terminal.parse("0 0", otherwise)).isEqualTo(otherwise);
        assertThat(Terminal.parse("50 0", otherwise)).isEqualTo(new Terminal.Size(70, 50));
        for (String unknown : List.of("", "x", "24", "stty: no terminal", "-1 80")) {
            assertThat(Terminal.parse(unknown, otherwise)).as(unknown).isEqualTo(otherwise);
        }
    }

    @Test
    void shouldKnowWhatTheEnvironmentSaysOfATerminal() {
        assertThat(Terminal.movesCursor("xterm")).isTrue();
        for (String term : Arrays.asList(null, "", "dumb")) {
            assertThat(Terminal.movesCursor(term)).as("%s", term).isFalse();
        }
        assertThat(Terminal.wantsColours(null)).isTrue();
        assertThat(Terminal.wantsColours("")).isTrue();
        assertThat(Terminal.wantsColours("1")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 10, 1000, 100_000})
    void shouldKeepPace(double perSecond) {
        Pace pace = new Pace(perSecond, 0);
        long requested = 0;
        long end = 20 * SECOND;
        for (long now = 0; now <= end; now += pace.intervalNanos()) {
            requested += pace.next(now, 0);
        }
        assertThat((double) requested).isBetween(20 * perSecond * 0.95 - 1, 20 * perSecond * 1.01 + 1);
    }

    @Test
    void shouldNotSaveUpWhatNobodyUsed() {
        Pace pace = new Pace(1000, 0);
        assertThat(pace.next(60 * SECOND, 0)).isEqualTo(100);
        assertThat(pace.next(120 * SECOND, 100)).isZero();
    }
}
