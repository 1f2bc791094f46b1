// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.Position;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.jspecify.annotations.Nullable;

/** What the formats of the source's states have in common: their version, and errors that say what is wrong with the bytes. */
abstract class StateFormat<T> implements SimpleVersionedSerializer<T> {
    /** The only one until now. */
    static final int VERSION = 1;

    private final String what;

    StateFormat(String what) {
        this.what = what;
    }

    abstract void write(T value, DataOutputStream out) throws IOException;

    abstract T read(DataInputStream in) throws IOException;

    @Override
    public final int getVersion() {
        return VERSION;
    }

    @Override
    public final byte[] serialize(T value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        write(value, new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    @Override
    public final T deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException("the state of " + what + " has version " + version + ", and this release reads " + VERSION
                    + " only: restore it with the release that wrote it, or start without it");
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized))) {
            T value = read(in);
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes too many");
            }
            return value;
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("the state of " + what + " is corrupt, " + serialized.length + " bytes: " + e.getMessage(), e);
        }
    }

    static void writeSplit(NetioSplit split, DataOutputStream out) throws IOException {
        out.writeUTF(split.endpoint().host());
        out.writeInt(split.endpoint().port());
        out.writeLong(split.firstTag());
        out.writeLong(split.lastTag());
        Position last = split.last();
        out.writeBoolean(last != null);
        if (last != null) {
            out.writeLong(last.run());
            out.writeLong(last.sequence());
        }
    }

    static NetioSplit readSplit(DataInputStream in) throws IOException {
        NetioEndpoint endpoint = new NetioEndpoint(in.readUTF(), in.readInt());
        long first = in.readLong();
        long last = in.readLong();
        return new NetioSplit(endpoint, first, last, readPosition(in));
    }

    private static @Nullable Position readPosition(DataInputStream in) throws IOException {
        byte there = in.readByte();
        return switch (there) {
            case 0 -> null;
            case 1 -> new Position(in.readLong(), in.readLong());
            default -> throw new IOException("neither 0 nor 1 but " + there + " says whether there is a position");
        };
    }
}
