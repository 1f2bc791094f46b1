// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Some keys of the Context, whose String values are passed on in headers of the same names. Any thread. */
final class ContextKeys {
    private final List<String> keys;

    ContextKeys(String... keys) {
        this.keys = List.of(keys);
        if (this.keys.isEmpty() || this.keys.contains("")) {
            throw new IllegalArgumentException("there must be at least one key, and no empty one: " + Arrays.toString(keys));
        }
    }

    /** Writes the values that are in {@code context}. */
    void write(ContextView context, BiConsumer<String, String> headers) {
        for (String key : keys) {
            if (context.getOrDefault(key, null) instanceof String value) {
                headers.accept(key, value);
            }
        }
    }

    /** {@code context} with the values that are in {@code headers}. */
    Context read(Map<String, String> headers, Context context) {
        Context result = context;
        for (String key : keys) {
            String value = headers.get(key);
            if (value != null) {
                result = result.put(key, value);
            }
        }
        return result;
    }

    @Override
    public String toString() {
        return keys.toString();
    }
}
