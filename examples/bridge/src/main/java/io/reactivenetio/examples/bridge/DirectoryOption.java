// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A directory, by a name that is not empty: that is what a variable which was never set leaves. */
final class DirectoryOption implements ITypeConverter<Path> {
    @Override
    public Path convert(String value) {
        if (value.isBlank()) {
            throw new TypeConversionException("the name of the directory is empty; . is the present one");
        }
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + value + "' cannot be the name of a directory: " + e.getReason());
        }
    }
}
