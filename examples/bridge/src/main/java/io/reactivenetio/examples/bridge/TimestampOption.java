// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Where in the payload the time of a message is, as given on the command line: 16:ns, or 16:ns:little. */
record TimestampOption(int offset, TimeUnit unit, ByteOrder order) {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9}):(s|ms|us|ns)(:little)?");
    private static final Map<String, TimeUnit> UNITS = Map.of("s", TimeUnit.SECONDS, "ms", TimeUnit.MILLISECONDS,
            "us", TimeUnit.MICROSECONDS, "ns", TimeUnit.NANOSECONDS);

    static final class Converter implements ITypeConverter<TimestampOption> {
        @Override
        public TimestampOption convert(String value) {
            Matcher form = FORM.matcher(value);
            TimeUnit unit = form.matches() ? UNITS.get(form.group(2)) : null;
            if (unit == null) {
                throw new TypeConversionException("'" + value + "' is not an offset and a unit such as 16:ns, or 16:ns:little");
            }
            return new TimestampOption(Integer.parseInt(form.group(1)), unit,
                    form.group(3) == null ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        }
    }
}
