// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.api.SlowPolicy;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A policy as given on the command line: {@code drop-oldest} for DROP_OLDEST. */
public final class SlowOption implements ITypeConverter<SlowPolicy> {
    /** What may be given. */
    public static final String NAMES = "backpressure, drop-newest, drop-oldest or error";

    /** Called by picocli. */
    public SlowOption() {
    }

    @Override
    public SlowPolicy convert(String value) {
        for (SlowPolicy policy : SlowPolicy.values()) {
            if (policy.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(value)) {
                return policy;
            }
        }
        throw new TypeConversionException("'" + value + "' is not " + NAMES);
    }
}
