// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;

/** Messages as byte arrays. */
final class BytesCodec implements NetioCodec<byte[]> {
    static final NetioCodec<byte[]> INSTANCE = new BytesCodec();

    private BytesCodec() {
    }

    @Override
    public int size(byte[] value) {
        return value.length;
    }

    @Override
    public void encode(byte[] value, ByteBuffer target) {
        target.put(value);
    }

    @Override
    public byte[] decode(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }
}
