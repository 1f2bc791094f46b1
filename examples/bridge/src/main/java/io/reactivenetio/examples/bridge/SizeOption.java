// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A size as given on the command line: 4096, 500K, 20M, 2G or 1T, in powers of 1024. */
final class SizeOption implements ITypeConverter<Long> {
    private static final Pattern SYNTAX = Pattern.compile("([0-9]{1,12})([KMGT]?)");
    private static final String UNITS = "KMGT";
    private static final int BITS = 10;

    @Override
    public Long convert(String value) {
        Matcher matcher = SYNTAX.matcher(value);
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + value + "' is not a size such as 4096, 500M or 2G");
        }
        int unit = matcher.group(2).isEmpty() ? 0 : 1 + UNITS.indexOf(matcher.group(2));
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << unit * BITS);
        } catch (ArithmeticException e) {
            throw new TypeConversionException("'" + value + "' is too much");
        }
    }
}
