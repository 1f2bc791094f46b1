// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SerializedValuesTest {
    @Test
    void shouldSerializeOnceAndNoticeValuesThatChange() {
        AtomicInteger calls = new AtomicInteger();
        StringBuilder text = new StringBuilder("abc");
        SerializedValues<StringBuilder> values = new SerializedValues<>(value -> {
            calls.incrementAndGet();
            return value.toString().getBytes(StandardCharsets.US_ASCII);
        });
        SerializedValues<StringBuilder> others = new SerializedValues<>(value -> new byte[3]);
        ByteBuffer target = ByteBuffer.allocate(values.size(text));
        values.encode(text, target);
        assertThat(calls).hasValue(1);
        values.size(text);
        others.size(text);
        values.encode(text, target.clear());
        assertThat(calls).hasValue(3);
        assertThat(target.flip().get()).isEqualTo((byte) 'a');
        text.append('d');
        assertThatThrownBy(() -> values.encode(text, target.clear())).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("must not change");
    }
}
