// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time as given on the command line: 200ms, 30s, 10m, 12h or 7d. */
final class TimeOption implements ITypeConverter<Duration> {
    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
    private static final Map<String, Duration> UNITS = Map.of("ms", Duration.ofMillis(1), "s", Duration.ofSeconds(1),
            "m", Duration.ofMinutes(1), "h", Duration.ofHours(1), "d", Duration.ofDays(1));

    @Override
    public Duration convert(String value) {
        Matcher matcher = SYNTAX.matcher(value);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + value + "' is not a time such as 200ms, 30s, 10m, 12h or 7d");
        }
        return UNITS.getOrDefault(matcher.group(2), Duration.ZERO).multipliedBy(Long.parseLong(matcher.group(1)));
    }
}
