// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.wire.Handshake;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Has connected without the library, up to the challenge. */
final class AskedClient implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    final byte[] connecting;
    final byte[] accepting;
    final byte[] challenge;

    AskedClient(DisposableServer server) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout((int) PATIENCE.toMillis());
        connecting = handshake(Handshake.ACCESS);
        socket.getOutputStream().write(connecting);
        in = new DataInputStream(socket.getInputStream());
        accepting = in.readNBytes(Handshake.SIZE);
        byte[] asked = next();
        assertThat(asked).hasSize(33).startsWith(1);
        challenge = Arrays.copyOfRange(asked, 1, 33);
    }

    static byte[] handshake(int features) {
        ByteBuffer said = ByteBuffer.allocate(Handshake.SIZE);
        new Handshake(Handshake.Role.CONNECTS, 1, 1, Handshake.STREAM, features, features, 1024, 4, 3, 1, 1, 1, 0)
                .encode(said);
        return said.array();
    }

    byte[] next() throws IOException {
        return in.readNBytes(Integer.reverseBytes(in.readInt()));
    }

    byte[] rest() throws IOException {
        return in.readAllBytes();
    }

    void say(byte[] message) throws IOException {
        socket.getOutputStream().write(ByteBuffer.allocate(4 + message.length)
                .putInt(Integer.reverseBytes(message.length)).put(message).array());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
