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

    @Test
    void shouldRecognizeWhatElseSpeaksOnAPort() {
        assertThat(hint("GET / HTTP/1.1\r\nHost: a\r\n")).isEqualTo("; they are an HTTP request (\"GET / HTTP/1.1\"): this port"
                + " is no web server's");
        assertThat(hint("GET ")).contains("HTTP request");
        assertThat(hint("POST /\033[31m HTTP/1.1\r\n")).contains("(\"POST /\")");
        assertThat(hint("HTTP/1.1 400 Bad Request\r\n")).contains("HTTP answer (\"HTTP/1.1 400 Bad Request\")");
        assertThat(hint("SSH-2.0-OpenSSH_9.2\r\n")).contains("SSH's");
        assertThat(hint("\u0016\u0003\u0001\u0002\0")).contains("they are TLS");
        assertThat(hint("\u0015\u0003\u0003\0\u0002")).contains("they are TLS");
    }

    @Test
    void shouldSayNothingOfWhatItDoesNotKnow() {
        assertThat(hint("")).isEmpty();
        assertThat(hint("GET")).isEmpty();
        assertThat(hint("NIO\u00ff")).isEmpty();
        assertThat(hint("\u0016\u0003")).isEmpty();
        assertThat(hint("\0\0\0\0")).isEmpty();
    }
}
