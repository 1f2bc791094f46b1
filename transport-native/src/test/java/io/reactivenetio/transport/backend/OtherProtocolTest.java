// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class OtherProtocolTest {

    private static String hint(String bytes) {
        return OtherProtocol.hint(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)));
    }

    /** What libfabric's provider tcp sends first when it connects, with {@code data} bytes of connection data. */
    static byte[] libfabric(int data) {
        return ByteBuffer.allocate(32 + data).put((byte) 3).put((byte) 0).putShort((short) data).put(24, (byte) 1).array();
    }

    /** A frame over TCP: of stream 0, of a type, and what its fields begin with. */
    static byte[] rsocket(int type, int field) {
        return ByteBuffer.allocate(64).putShort((short) 0).put((byte) 61).putInt(0).putShort((short) (type << 10)).putInt(field)
                .array();
    }

    @Test
    void shouldRecognizeWhatElseSpeaksOnAPort() {
        assertThat(hint("GET / HTTP/1.1\r\nHost: a\r\n")).isEqualTo("; the other side speaks HTTP (\"GET / HTTP/1.1\"): is this"
                + " the right host and port?");
        assertThat(hint("GET ")).contains("speaks HTTP");
        assertThat(hint("POST /\033[31m HTTP/1.1\r\n")).contains("(\"POST /\")");
        assertThat(hint("HTTP/1.1 400 Bad Request\r\n")).contains("speaks HTTP (\"HTTP/1.1 400 Bad Request\")");
        assertThat(hint("SSH-2.0-OpenSSH_9.2\r\n")).contains("speaks SSH (\"SSH-2.0-OpenSSH_9.2\")");
        assertThat(hint("\u0016\u0003\u0001\u0002\0")).contains("speaks TLS");
        assertThat(hint("\u0015\u0003\u0003\0\u0002")).contains("speaks TLS");
    }

    @Test
    void shouldRecognizeLibfabricAndRSocket() {
        for (int data : new int[] {0, 48}) {
            assertThat(OtherProtocol.hint(ByteBuffer.wrap(libfabric(data)))).contains("uses libfabric's provider tcp");
        }
        byte[] otherByteOrder = libfabric(0);
        otherByteOrder[24] = 0;
        otherByteOrder[31] = 1;
        assertThat(OtherProtocol.isLibfabric(ByteBuffer.wrap(otherByteOrder))).isTrue();
        assertThat(OtherProtocol.hint(ByteBuffer.wrap(rsocket(1, 0x1_0000)))).contains("speaks RSocket");
        assertThat(OtherProtocol.hint(ByteBuffer.wrap(rsocket(0xb, 2)))).contains("speaks RSocket");
    }

    @Test
    void shouldSayNothingOfWhatItDoesNotKnow() {
        assertThat(hint("")).isEmpty();
        assertThat(hint("GET")).isEmpty();
        assertThat(hint("NIO\u00ff")).isEmpty();
        assertThat(hint("\u0016\u0003")).isEmpty();
        assertThat(hint("\0\0\0\0")).isEmpty();
        assertThat(OtherProtocol.hint(ByteBuffer.wrap(rsocket(6, 0)))).isEmpty();
        assertThat(OtherProtocol.hint(ByteBuffer.wrap(libfabric(0), 0, 31))).isEmpty();
        byte[] message = libfabric(0);
        message[4] = 1;
        assertThat(OtherProtocol.hint(ByteBuffer.wrap(message))).isEmpty();
    }
}
