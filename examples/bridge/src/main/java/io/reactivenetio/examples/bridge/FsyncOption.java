// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.recorder.Fsync;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** When to bring files to the disk, as given on the command line: never, each, or a time such as 200ms. */
final class FsyncOption implements ITypeConverter<Fsync> {
    @Override
    public Fsync convert(String value) {
        if ("never".equals(value)) {
            return Fsync.never();
        }
        if ("each".equals(value)) {
            return Fsync.each();
        }
        Duration interval = new TimeOption().convert(value);
        if (interval.isZero()) {
            throw new TypeConversionException("'" + value + "' is no time; each is after every write");
        }
        return Fsync.interval(interval);
    }
}
