// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.TreeMap;

/** The numbers that classes of the binding have as constants, private ones too. */
public final class Numbers {
    private Numbers() {
    }

    /** By their names. */
    public static Map<String, Long> of(Class<?>... types) throws IllegalAccessException {
        Map<String, Long> numbers = new TreeMap<>();
        for (Class<?> type : types) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && field.getType().isPrimitive()) {
                    field.setAccessible(true);
                    numbers.put(field.getName(), ((Number) field.get(null)).longValue());
                }
            }
        }
        return numbers;
    }
}
