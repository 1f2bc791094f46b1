// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Passes the String values of some keys of the Context on, in headers of the same names. */
final class KeyPropagator implements NetioPropagator {
    private final List<String> keys;

    KeyPropagator(String... keys) {
        this.keys = List.of(keys);
        if (this.keys.isEmpty() || this.keys.contains("")) {
            throw new IllegalArgumentException("there must be at least one key, and no empty one: " + Arrays.toString(keys));
        }
    }

    @Override
    public void write(ContextView context, BiConsumer<String, String> headers) {
        for (String key : keys) {
            if (context.getOrDefault(key, null) instanceof String value) {
                headers.accept(key, value);
            }
        }
    }

    @Override
    public Context read(Map<String, String> headers, Context context) {
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
        return "propagator of " + keys;
    }
}
