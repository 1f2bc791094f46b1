// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An address as given on the command line: {@code host:port}, {@code 127.0.0.1:port} or {@code [::1]:port}. */
public record HostPort(String host, int port) {
    private static final int MAX_PORT = 65_535;
    private static final Pattern SYNTAX = Pattern.compile("(?:\\[([^\\[\\]]+)]|([^:\\[\\]\\s]+)):([0-9]{1,5})");

    /** Parses an address for picocli. */
    public static final class Converter implements ITypeConverter<HostPort> {
        @Override
        public HostPort convert(String value) {
            Matcher matcher = SYNTAX.matcher(value);
            if (!matcher.matches()) {
                throw new TypeConversionException("'" + value + "' is not HOST:PORT, such as 127.0.0.1:7000 or [::1]:7000");
            }
            int port = Integer.parseInt(matcher.group(3));
            if (port > MAX_PORT) {
                throw new TypeConversionException("'" + value + "': the port must not exceed " + MAX_PORT);
            }
            return new HostPort(matcher.group(1) != null ? matcher.group(1) : matcher.group(2), port);
        }
    }
}
