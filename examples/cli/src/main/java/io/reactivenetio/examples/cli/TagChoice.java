// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.api.Tags;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Tags as given on the command line: {@code 7}, {@code 0x1f}, {@code 10-20}, or {@code 0x1200/0xff00}, a value and its mask. */
public record TagChoice(Tags tags) {

    /** Parses a choice of tags for picocli. */
    public static final class Converter implements ITypeConverter<TagChoice> {
        @Override
        public TagChoice convert(String value) {
            try {
                return new TagChoice(parse(value));
            } catch (NumberFormatException e) {
                throw new TypeConversionException("'" + value + "' is not a tag such as 7 or 0x1f, a range such as 10-20, or a"
                        + " value and a mask such as 0x1200/0xff00");
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + value + "': " + e.getMessage());
            }
        }

        private static Tags parse(String value) {
            int dash = value.indexOf('-');
            int slash = value.indexOf('/');
            if (dash >= 0) {
                return Tags.range(number(value.substring(0, dash)), number(value.substring(dash + 1)));
            }
            return slash < 0 ? Tags.of(number(value))
                    : Tags.masked(number(value.substring(0, slash)), number(value.substring(slash + 1)));
        }
    }

    /** A number of 64 bits without sign; throws NumberFormatException. */
    static long number(String text) {
        return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseUnsignedLong(text);
    }
}
