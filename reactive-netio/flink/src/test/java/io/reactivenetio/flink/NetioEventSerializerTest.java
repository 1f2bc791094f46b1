// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.SerializerTestBase;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** Flink's own checks, and ours. */
class NetioEventSerializerTest extends SerializerTestBase<NetioEvent<NetioEventSerializerTest.Hit>> {
    private static final NetioEndpoint DAQ = new NetioEndpoint("daq1", 7_000);
    private static final NetioEndpoint SIX = new NetioEndpoint("fe80::1", 65_535);
    private static final Tags SEVEN = Tags.of(7);
    private static final Tags RANGE = Tags.range(0x1000, -1);
    private static final TypeInformation<NetioEvent<Hit>> TYPE = NetioEvent.type(TypeInformation.of(Hit.class));

    /** A value that is no basic type. */
    public record Hit(long time, int channel) {
    }

    @Override
    protected TypeSerializer<NetioEvent<Hit>> createSerializer() {
        SerializerConfigImpl config = new SerializerConfigImpl();
        config.setGenericTypes(false);
        return TYPE.createSerializer(config);
    }

    @Override
    protected int getLength() {
        return -1;
    }

    @Override
    @SuppressWarnings("unchecked") // as Flink has it: a class has no parameters
    protected Class<NetioEvent<Hit>> getTypeClass() {
        return (Class<NetioEvent<Hit>>) (Class<?>) NetioEvent.class;
    }

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array has none, too
    protected NetioEvent<Hit>[] getTestData() {
        return new NetioEvent[] {
            new NetioEvent.Message<>(DAQ, SEVEN, -5, 0, 7, 0, new Hit(1, 2)),
            new NetioEvent.Message<>(SIX, RANGE, Long.MAX_VALUE, Long.MAX_VALUE, 0x1001, 255, new Hit(-1, -2)),
            new NetioEvent.Gap<Hit>(DAQ, SEVEN, -5, 1, 9),
            new NetioEvent.Gap<Hit>(SIX, RANGE, 1, 0, Long.MAX_VALUE - 1),
            new NetioEvent.RunChange<Hit>(DAQ, SEVEN, new Position(-5, 9), 3),
            new NetioEvent.RunChange<Hit>(SIX, RANGE, new Position(1, -1), Long.MIN_VALUE)
        };
    }

    /** What a savepoint has of events stays readable. */
    @Test
    void shouldKeepTheBytesOfVersionOne() throws IOException {
        NetioEventSerializer<byte[]> serializer = new NetioEventSerializer<>(
                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO.createSerializer(new SerializerConfigImpl()));
        String split = "05" + "64617131" + "00001b58" + "00" + "0000000000000007" + "0000000000000000" + "fffffffffffffffb";
        DataOutputSerializer out = new DataOutputSerializer(64);
        for (NetioEvent<byte[]> event : List.<NetioEvent<byte[]>>of(
                new NetioEvent.Message<>(DAQ, SEVEN, -5, 1, 7, 255, new byte[] {1, 2}),
                new NetioEvent.Gap<>(DAQ, SEVEN, -5, 2, 3),
                new NetioEvent.RunChange<>(DAQ, SEVEN, new Position(4, 9), -5))) {
            serializer.serialize(event, out);
        }
        assertThat(HexFormat.of().formatHex(out.getCopyOfBuffer())).isEqualTo(
                "00" + split + "0000000000000001" + "0000000000000007" + "ff" + "00000002" + "0102"
                + "01" + split + "0000000000000002" + "0000000000000003"
                + "02" + split + "0000000000000004" + "0000000000000009");
    }

    @Test
    void shouldSayThatBytesAreNoEvent() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        createSerializer().serialize(getTestData()[0], out);
        byte[] bytes = out.getCopyOfBuffer();
        bytes[0] = 9;
        assertThatThrownBy(() -> createSerializer().deserialize(new DataInputDeserializer(bytes))).isInstanceOf(IOException.class)
                .hasMessage("no kind of event is 9: these are not the bytes of an event");
    }

    /** As Flink does when it restores a job with a state of events. */
    @Test
    void shouldRestoreItselfFromItsSnapshot() throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        TypeSerializerSnapshot.writeVersionedSnapshot(out, createSerializer().snapshotConfiguration());
        TypeSerializerSnapshot<NetioEvent<Hit>> read = TypeSerializerSnapshot.readVersionedSnapshot(
                new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());

        assertThat(read.restoreSerializer()).isEqualTo(createSerializer());
        assertThat(createSerializer().snapshotConfiguration().resolveSchemaCompatibility(read).isCompatibleAsIs()).isTrue();
        TypeSerializer<NetioEvent<String>> other = NetioEvent.type(Types.STRING).createSerializer(new SerializerConfigImpl());
        assertThat(other.snapshotConfiguration()).isNotEqualTo(read);
    }

    @Test
    void shouldBeFoundInSignatures() throws Exception {
        assertThat(TypeInformation.of(new TypeHint<NetioEvent<Hit>>() { })).isEqualTo(TYPE).hasSameHashCodeAs(TYPE);
        assertThat(InstantiationUtil.clone(TYPE)).isEqualTo(TYPE);
        assertThat(TYPE).isNotEqualTo(NetioEvent.type(Types.LONG))
                .hasToString("NetioEvent<" + TypeInformation.of(Hit.class) + ">");
        assertThat(NetioDeserializationSchema.events(TypeInformation.of(Hit.class), message -> new Hit(0, 0)).getProducedType())
                .isEqualTo(TYPE);
    }

    @Test
    void shouldNameTheSplit() {
        assertThat(getTestData()[0].split()).isEqualTo(new NetioSplit(DAQ, 7, 7, null).splitId());
        assertThat(getTestData()[1].split()).isEqualTo(new NetioSplit(SIX, 0x1000, -1, null).splitId());
    }
}
