// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * What of the serializer of events is in checkpoints: the version of the format, and the snapshot of the values' serializer. For
 * Flink, which finds it by its name.
 *
 * @param <T> the type of the values
 */
public final class NetioEventSerializerSnapshot<T>
        extends CompositeTypeSerializerSnapshot<NetioEvent<T>, NetioEventSerializer<T>> {
    private static final int VERSION = 1;

    /** For Flink, which reads it afterwards. */
    public NetioEventSerializerSnapshot() {
    }

    NetioEventSerializerSnapshot(NetioEventSerializer<T> serializer) {
        super(serializer);
    }

    @Override
    protected int getCurrentOuterSnapshotVersion() {
        return VERSION;
    }

    @Override
    protected TypeSerializer<?>[] getNestedSerializers(NetioEventSerializer<T> outer) {
        return new TypeSerializer<?>[] {outer.values()};
    }

    @Override
    @SuppressWarnings("unchecked") // it is the one that getNestedSerializers gave
    protected NetioEventSerializer<T> createOuterSerializerWithNestedSerializers(TypeSerializer<?>[] nested) {
        return new NetioEventSerializer<>((TypeSerializer<T>) nested[0]);
    }
}
