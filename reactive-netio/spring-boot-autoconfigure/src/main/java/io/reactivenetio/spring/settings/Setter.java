// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/**
 * Gives an immutable object the settings of some properties. What the object refuses is told with the property's name and value.
 *
 * @param <T> the type of the object
 */
public final class Setter<T> {
    private final String prefix;
    private T target;

    /** {@code prefix} is what the names of the properties begin with, with a dot at its end. */
    public Setter(String prefix, T target) {
        this.prefix = prefix;
        this.target = target;
    }

    /** Has {@code with} set {@code value}, unless that is null. */
    public <V> Setter<T> set(String name, @Nullable V value, BiFunction<? super T, ? super V, ? extends T> with) {
        if (value != null) {
            try {
                target = with.apply(target, value);
            } catch (IllegalArgumentException e) {
                throw new InvalidConfigurationPropertyValueException(prefix + name, value, e.getMessage());
            }
        }
        return this;
    }

    /** The object with all settings. */
    public T get() {
        return target;
    }

    /** What {@code size} is in bytes. */
    static int bytes(DataSize size) {
        long bytes = size.toBytes();
        if (bytes > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("it must be less than 2 GB: " + size);
        }
        return (int) Math.max(bytes, Integer.MIN_VALUE);
    }
}
