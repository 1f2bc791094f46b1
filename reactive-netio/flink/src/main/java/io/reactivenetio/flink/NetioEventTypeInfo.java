// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.jspecify.annotations.Nullable;

/** The type of events with values of another type. */
final class NetioEventTypeInfo<T> extends TypeInformation<NetioEvent<T>> {
    private static final long serialVersionUID = 1;

    private final TypeInformation<T> value;

    NetioEventTypeInfo(TypeInformation<T> value) {
        this.value = Objects.requireNonNull(value, "value");
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    @SuppressWarnings("unchecked") // there is no class of a parameterized type
    public Class<NetioEvent<T>> getTypeClass() {
        return (Class<NetioEvent<T>>) (Class<?>) NetioEvent.class;
    }

    @Override
    public Map<String, TypeInformation<?>> getGenericParameters() {
        return Map.of("T", value);
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public TypeSerializer<NetioEvent<T>> createSerializer(SerializerConfig config) {
        return new NetioEventSerializer<>(value.createSerializer(config));
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof NetioEventTypeInfo;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NetioEventTypeInfo<?> type && value.equals(type.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode() * 31;
    }

    @Override
    public String toString() {
        return "NetioEvent<" + value + ">";
    }
}
