// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.jspecify.annotations.Nullable;

/**
 * Tells Flink the type where a function's signature says {@code NetioEvent<T>}. Flink finds it by itself.
 *
 * @param <T> the type of the values
 */
public final class NetioEventTypeInfoFactory<T> extends TypeInfoFactory<NetioEvent<T>> {
    /** Called by Flink. */
    public NetioEventTypeInfoFactory() {
    }

    @Override
    @SuppressWarnings("unchecked") // Flink found it for the only type parameter
    public @Nullable TypeInformation<NetioEvent<T>> createTypeInfo(Type type, Map<String, TypeInformation<?>> parameters) {
        TypeInformation<?> value = parameters.get("T");
        return value == null ? null : new NetioEventTypeInfo<>((TypeInformation<T>) value);
    }
}
