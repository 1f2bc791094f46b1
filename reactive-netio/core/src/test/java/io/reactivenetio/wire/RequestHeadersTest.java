// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestHeadersTest {
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private static byte[] encode(Map<String, String> headers, int room, String... leftOut) {
        List<String> left = new ArrayList<>();
        byte[] block = RequestHeaders.encode(headers, room, (key, bytes) -> left.add(key + " " + bytes));
        assertThat(left).containsExactly(leftOut);
        return block;
    }

    private static Map<String, String> headers(String... keysAndValues) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            headers.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return headers;
    }

    @Test
    void shouldWriteNothingWithoutHeaders() {
        assertThat(encode(headers(), UNLIMITED)).isEmpty();
        assertThat(encode(headers("a", "b"), 6, "a 5")).isEmpty();
    }

    @Test
    void shouldWriteAndReadAsMuchAsThereMayBe() throws Exception {
        Map<String, String> full = headers("a", "x".repeat(2_000), "b", "y".repeat(RequestHeaders.MOST_BYTES - 2_008));
        byte[] block = encode(full, UNLIMITED);
        assertThat(block).hasSize(2 + RequestHeaders.MOST_BYTES);
        ByteBuffer message = ByteBuffer.allocate(block.length + 7).order(ByteOrder.BIG_ENDIAN).put(3, block).position(3);
        assertThat(RequestHeaders.decode(message)).containsExactlyEntriesOf(full);
        assertThat(message.position()).isEqualTo(3 + block.length);
        assertThat(message.remaining()).isEqualTo(4);
        Map<String, String> more = headers("a", "x".repeat(2_000), "b", "y".repeat(RequestHeaders.MOST_BYTES - 2_007));
        assertThat(encode(more, UNLIMITED, "b 2093")).hasSize(2 + 2_004);
    }

    @Test
    void shouldRefuseMoreThanThereMayBe() {
        byte[] block = ByteBuffer.allocate(2 + 4_100).order(ByteOrder.LITTLE_ENDIAN).putShort((short) 4_097).array();
        assertThatThrownBy(() -> RequestHeaders.decode(ByteBuffer.wrap(block))).isInstanceOf(ProtocolException.class)
                .hasMessage("a request has 4097 bytes of headers; 4096 are allowed, and 4100 have arrived");
    }

    /** Of a at 5, b at 7 and c at 6 bytes. */
    @ParameterizedTest
    @CsvSource({"20, ''", "19, c 6", "13, b 7", "12, b 7 c 6", "7, b 7 c 6", "6, a 5 b 7 c 6", "2, a 5 b 7 c 6",
        "0, a 5 b 7 c 6"})
    void shouldLeaveOutWhatHasNoRoomAndKeepTheRest(int room, String leftOut) throws Exception {
        List<String> left = new ArrayList<>();
        byte[] block = RequestHeaders.encode(headers("a", "1", "b", "222", "c", "33"), room,
                (key, bytes) -> left.add(key + " " + bytes));
        assertThat(String.join(" ", left)).isEqualTo(leftOut);
        assertThat(block.length).isLessThanOrEqualTo(Math.max(0, room));
        int kept = block.length == 0 ? 0 : RequestHeaders.decode(ByteBuffer.wrap(block)).size();
        assertThat(kept + left.size()).isEqualTo(3);
    }

    @Test
    void shouldLeaveOutKeysThatCannotBe() {
        String long255 = "k".repeat(255);
        assertThat(encode(headers("", "no key", long255, "v", long255 + "k", "v", "ü".repeat(128), "v"), UNLIMITED, " 9",
                long255 + "k 260", "ü".repeat(128) + " 260")).hasSize(2 + 3 + 255 + 1);
    }

    @Test
    void shouldWriteTextThatIsNoneAsText() throws Exception {
        byte[] block = encode(headers("a", "half a surrogate: \ud800"), UNLIMITED);
        assertThat(RequestHeaders.decode(ByteBuffer.wrap(block))).containsExactly(Map.entry("a", "half a surrogate: ?"));
    }

    @Test
    void shouldWriteAndReadNoMoreHeadersThanThereMayBe() throws Exception {
        Map<String, String> many = new LinkedHashMap<>();
        for (int i = 0; i < RequestHeaders.MOST; i++) {
            many.put("" + (char) (' ' + i), "");
        }
        byte[] block = encode(many, UNLIMITED);
        assertThat(RequestHeaders.decode(ByteBuffer.wrap(block))).isEqualTo(many);
        many.put("more", "than that");
        assertThat(encode(many, UNLIMITED, "more 16")).isEqualTo(block);

        byte[] another = Arrays.copyOf(block, block.length + 4);
        another[0] += 4;
        another[another.length - 3] = '~';
        another[another.length - 4] = 1;
        assertThatThrownBy(() -> RequestHeaders.decode(ByteBuffer.wrap(another))).isInstanceOf(ProtocolException.class)
                .hasMessage("a request has more than 64 headers");
    }

    @Test
    void shouldReadTimesAndNothingElse() throws Exception {
        assertThat(RequestHeaders.timeout("0")).isZero();
        assertThat(RequestHeaders.timeout("007")).isEqualTo(7);
        assertThat(RequestHeaders.timeout("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        for (String wrong : List.of("", "-1", "+1", "1s", "9223372036854775808", "00000000000000000001", "\u0663")) {
            assertThatThrownBy(() -> RequestHeaders.timeout(wrong)).isInstanceOf(ProtocolException.class)
                    .hasMessageContaining("netio-timeout of a request is no time: ");
        }
    }

    @Test
    void shouldSetTheTimeOfRequestsThatBeginWithOneOnly() throws Exception {
        for (long nanos : new long[] {0, 1, 42, Long.MAX_VALUE}) {
            ByteBuffer request = ByteBuffer.wrap(encode(headers(RequestHeaders.TIMEOUT, RequestHeaders.NO_TIME, "a", "b"),
                    UNLIMITED));
            RequestHeaders.setTimeout(request, nanos);
            assertThat(RequestHeaders.timeout(RequestHeaders.decode(request).get(RequestHeaders.TIMEOUT))).isEqualTo(nanos);
        }
        for (Map<String, String> without : List.of(headers("a", "b"), headers("netio-time0ut", RequestHeaders.NO_TIME),
                headers("a", "b", RequestHeaders.TIMEOUT, RequestHeaders.NO_TIME))) {
            byte[] block = encode(without, UNLIMITED);
            RequestHeaders.setTimeout(ByteBuffer.wrap(block), 42);
            assertThat(RequestHeaders.decode(ByteBuffer.wrap(block))).isEqualTo(without);
        }
        RequestHeaders.setTimeout(ByteBuffer.allocate(0), 42);
    }
}
