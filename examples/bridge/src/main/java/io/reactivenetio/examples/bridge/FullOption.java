// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.recorder.WhenFull;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What to do when there is no room, as given on the command line: {@code delete-oldest} for DELETE_OLDEST. */
final class FullOption implements ITypeConverter<WhenFull> {
    @Override
    public WhenFull convert(String value) {
        for (WhenFull policy : WhenFull.values()) {
            if (policy.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(value)) {
                return policy;
            }
        }
        throw new TypeConversionException("'" + value + "' is not delete-oldest, wait or fail");
    }
}
