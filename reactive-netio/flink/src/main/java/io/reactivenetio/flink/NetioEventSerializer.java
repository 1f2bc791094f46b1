// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.CompositeTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;
import org.jspecify.annotations.Nullable;

/**
 * Serializes events: a byte that says which, the split, the numbers, and the value with a serializer of its own. For Flink, which
 * finds its {@link Snapshot} by name.
 *
 * @param <T> the type of the values
 */
public final class NetioEventSerializer<T> extends TypeSerializer<NetioEvent<T>> {
    private static final long serialVersionUID = 1;
    private static final int MESSAGE = 0;
    private static final int GAP = 1;
    private static final int RUN_CHANGE = 2;

    private final TypeSerializer<T> values;

    NetioEventSerializer(TypeSerializer<T> values) {
        this.values = values;
    }

    TypeSerializer<T> values() {
        return values;
    }

    @Override
    public boolean isImmutableType() {
        return values.isImmutableType();
    }

    @Override
    public TypeSerializer<NetioEvent<T>> duplicate() {
        TypeSerializer<T> other = values.duplicate();
        return other == values ? this : new NetioEventSerializer<>(other);
    }

    @Override
    public NetioEvent<T> createInstance() {
        return new NetioEvent.Message<>(new NetioEndpoint("localhost", 1), Tags.of(0), 1, 0, 0, 0, values.createInstance());
    }

    @Override
    public NetioEvent<T> copy(NetioEvent<T> from) {
        return from instanceof NetioEvent.Message<T> message ? new NetioEvent.Message<>(message.endpoint(), message.tags(),
                message.run(), message.sequence(), message.tag(), message.status(), values.copy(message.value())) : from;
    }

    @Override
    public NetioEvent<T> copy(NetioEvent<T> from, NetioEvent<T> reuse) {
        return copy(from);
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(NetioEvent<T> event, DataOutputView to) throws IOException {
        switch (event) {
            case NetioEvent.Message<T> message -> {
                begin(MESSAGE, event, to);
                to.writeLong(message.sequence());
                to.writeLong(message.tag());
                to.writeByte(message.status());
                values.serialize(message.value(), to);
            }
            case NetioEvent.Gap<T> gap -> {
                begin(GAP, event, to);
                to.writeLong(gap.from());
                to.writeLong(gap.to());
            }
            case NetioEvent.RunChange<T> change -> {
                begin(RUN_CHANGE, event, to);
                to.writeLong(change.last().run());
                to.writeLong(change.last().sequence());
            }
        }
    }

    private void begin(int kind, NetioEvent<T> event, DataOutputView to) throws IOException {
        to.writeByte(kind);
        StringValue.writeString(event.endpoint().host(), to);
        to.writeInt(event.endpoint().port());
        to.writeByte(event.tags().kind() == Tags.Kind.ONE ? 0 : 1);
        to.writeLong(event.tags().first());
        to.writeLong(event.tags().second());
        to.writeLong(event.run());
    }

    @Override
    public NetioEvent<T> deserialize(DataInputView from) throws IOException {
        int kind = from.readByte();
        NetioEndpoint endpoint = new NetioEndpoint(StringValue.readString(from), from.readInt());
        Tags tags = new Tags(tagsKind(from.readByte()), from.readLong(), from.readLong());
        long run = from.readLong();
        long first = from.readLong();
        long second = from.readLong();
        return switch (kind) {
            case MESSAGE -> new NetioEvent.Message<>(endpoint, tags, run, first, second, from.readUnsignedByte(),
                    values.deserialize(from));
            case GAP -> new NetioEvent.Gap<>(endpoint, tags, run, first, second);
            case RUN_CHANGE -> new NetioEvent.RunChange<>(endpoint, tags, new Position(first, second), run);
            default -> throw unknown("event", kind);
        };
    }

    private static Tags.Kind tagsKind(int kind) throws IOException {
        return switch (kind) {
            case 0 -> Tags.Kind.ONE;
            case 1 -> Tags.Kind.RANGE;
            default -> throw unknown("tags", kind);
        };
    }

    private static IOException unknown(String what, int kind) {
        return new IOException("no kind of " + what + " is " + kind + ": these are not the bytes of an event");
    }

    @Override
    public NetioEvent<T> deserialize(NetioEvent<T> reuse, DataInputView from) throws IOException {
        return deserialize(from);
    }

    @Override
    public void copy(DataInputView from, DataOutputView to) throws IOException {
        int kind = from.readByte();
        to.writeByte(kind);
        StringValue.copyString(from, to);
        to.write(from, Integer.BYTES + 1 + 3 * Long.BYTES);
        to.write(from, 2 * Long.BYTES);
        if (kind == MESSAGE) {
            to.writeByte(from.readByte());
            values.copy(from, to);
        }
    }

    @Override
    public TypeSerializerSnapshot<NetioEvent<T>> snapshotConfiguration() {
        return new Snapshot<>(this);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NetioEventSerializer<?> serializer && values.equals(serializer.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode() * 31 + 1;
    }

    /**
     * What of the serializer of events is in checkpoints: the version of the format, and the snapshot of the values' serializer.
     * For Flink, which finds it by its name.
     *
     * @param <T> the type of the values
     */
    public static final class Snapshot<T> extends CompositeTypeSerializerSnapshot<NetioEvent<T>, NetioEventSerializer<T>> {
        private static final int VERSION = 1;

        /** Called by Flink, which reads the snapshot afterwards. */
        public Snapshot() {
        }

        Snapshot(NetioEventSerializer<T> serializer) {
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
}
