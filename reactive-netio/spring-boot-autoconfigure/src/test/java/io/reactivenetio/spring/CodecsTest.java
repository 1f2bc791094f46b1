// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.api.NetioEncoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.CodecException;

class CodecsTest {
    record Hit(long channel, double energy) {
    }

    record Note(String text, List<Hit> hits, Instant when) {
    }

    private final ApplicationContextRunner runner = Contexts.tcp()
            .withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));

    private static ByteBuffer encode(NetioEncoder<Object> encoder, Object value) {
        ByteBuffer whole = ByteBuffer.allocateDirect(encoder.size(value) + 8);
        ByteBuffer target = whole.slice(4, whole.capacity() - 8); // as a place in a larger buffer
        encoder.encode(value, target);
        assertThat(target.hasRemaining()).isFalse();
        return target.flip();
    }

    private static Object roundTrip(NetioCodecs codecs, ResolvableType type, Object value) {
        ByteBuffer message = encode(codecs.encoder(type), value);
        Function<ByteBuffer, Object> decoder = codecs.decoder(type);
        return decoder.apply(message.asReadOnlyBuffer());
    }

    @Test
    void shouldTakeBytesAsTheyAre() {
        runner.run(context -> {
            NetioCodecs codecs = context.getBean(NetioCodecs.class);
            assertThat(roundTrip(codecs, ResolvableType.forClass(String.class), "Grüße")).isEqualTo("Grüße");
            Object bytes = roundTrip(codecs, ResolvableType.forClass(byte[].class), new byte[] {1, 2});
            assertThat((byte[]) bytes).containsExactly(1, 2);
            ByteBuffer value = ByteBuffer.allocate(10).putInt(4, 77).position(4);
            ByteBuffer same = (ByteBuffer) roundTrip(codecs, ResolvableType.forClass(ByteBuffer.class), value);
            assertThat(same.getInt(0)).isEqualTo(77);
            assertThat(value.position()).isEqualTo(4);
            assertThat(roundTrip(codecs, ResolvableType.forClass(String.class), "")).isEqualTo("");
            Function<ByteBuffer, ByteBuffer> decoder = codecs.decoder(ResolvableType.forClass(ByteBuffer.class));
            ByteBuffer message = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(0, 5);
            ByteBuffer kept = decoder.apply(message);
            message.putInt(0, 6);
            assertThat(kept.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            assertThat(kept.getInt()).isEqualTo(5);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "json"})
    void shouldGiveRecordsOfFixedSizesTheirOwnLayoutUnlessJsonIsAskedFor(String kind) {
        runner.withPropertyValues("netio.codec=" + kind).run(context -> {
            ByteBuffer message = encode(context.getBean(NetioCodecs.class).encoder(ResolvableType.forClass(Hit.class)),
                    new Hit(1, 2.5));
            if (kind.equals("auto")) {
                assertThat(message.remaining()).isEqualTo(2 * Long.BYTES);
                assertThat(message.getLong()).isEqualTo(1);
                assertThat(message.getDouble()).isEqualTo(2.5);
            } else {
                assertThat(StandardCharsets.UTF_8.decode(message).toString()).isEqualTo("{\"channel\":1,\"energy\":2.5}");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "json", "cbor"})
    void shouldUseTheJacksonOfTheApplication(String kind) {
        runner.withPropertyValues("netio.codec=" + kind, "spring.jackson.default-property-inclusion=non_null").run(context -> {
            NetioCodecs codecs = context.getBean(NetioCodecs.class);
            Note note = new Note("a", List.of(new Hit(1, 2.5)), Instant.parse("2026-01-01T00:00:00Z"));
            assertThat(roundTrip(codecs, ResolvableType.forClass(Note.class), note)).isEqualTo(note);
            ResolvableType list = ResolvableType.forClassWithGenerics(List.class, Hit.class);
            assertThat(roundTrip(codecs, list, List.of(new Hit(1, 2)))).isEqualTo(List.of(new Hit(1, 2)));
            ResolvableType map = ResolvableType.forClassWithGenerics(Map.class, String.class, Long.class);
            assertThat(roundTrip(codecs, map, Map.of("a", 1L))).isEqualTo(Map.of("a", 1L));
            if (!kind.equals("cbor")) {
                ByteBuffer json = encode(codecs.encoder(ResolvableType.forClass(Note.class)), new Note("a", null, null));
                assertThat(StandardCharsets.UTF_8.decode(json).toString()).isEqualTo("{\"text\":\"a\"}");
            }
            Function<ByteBuffer, Object> decoder = codecs.decoder(ResolvableType.forClass(Note.class));
            assertThatThrownBy(() -> decoder.apply(ByteBuffer.wrap(new byte[] {1, 2, 3}))).isInstanceOf(CodecException.class);
            assertThatThrownBy(() -> decoder.apply(ByteBuffer.allocate(0))).isInstanceOf(RuntimeException.class);
            if (!kind.equals("cbor")) {
                assertThatIllegalArgumentException().isThrownBy(() -> decoder.apply(StandardCharsets.UTF_8.encode("null")))
                        .withMessageContaining("null");
            }
        });
    }

    @Test
    void shouldUseProtobuf() {
        runner.withPropertyValues("netio.codec=protobuf").run(context -> {
            NetioCodecs codecs = context.getBean(NetioCodecs.class);
            Any any = Any.newBuilder().setTypeUrl("type").setValue(ByteString.copyFromUtf8("value")).build();
            assertThat(roundTrip(codecs, ResolvableType.forClass(Any.class), any)).isEqualTo(any);
            assertThatIllegalArgumentException().isThrownBy(() -> codecs.decoder(ResolvableType.forClass(Hit.class)))
                    .withMessageContainingAll("Hit", "define a bean of NetioCodec<", "PROTOBUF is not for this type");
        });
    }

    @Test
    void shouldPreferBeansByTheirType() {
        runner.withUserConfiguration(Beans.class).run(context -> {
            NetioCodecs codecs = context.getBean(NetioCodecs.class);
            assertThat(encode(codecs.encoder(ResolvableType.forClass(Hit.class)), new Hit(5, 0)).remaining()).isEqualTo(8);
            assertThat(roundTrip(codecs, ResolvableType.forClass(Hit.class), new Hit(5, 0))).isEqualTo(new Hit(5, -1));
            assertThat(roundTrip(codecs, ResolvableType.forClass(String.class), "text")).isEqualTo("own");
            ResolvableType hits = ResolvableType.forClassWithGenerics(List.class, Hit.class);
            assertThat(roundTrip(codecs, hits, List.of(new Hit(1, 1)))).isEqualTo(List.of());
            ResolvableType notes = ResolvableType.forClassWithGenerics(List.class, Note.class);
            assertThat(roundTrip(codecs, notes, List.of(new Note("b", null, null)))).asString().contains("text=b");
            assertThat(encode(codecs.encoder(ResolvableType.forClass(Long.class)), 5L).remaining()).isEqualTo(3);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        NetioCodec<Hit> hits() {
            return new OneLong<>(value -> ((Hit) value).channel(), number -> new Hit(number, -1));
        }

        @Bean
        NetioCodec<String> strings() {
            return new OneLong<>(value -> 1L, number -> "own");
        }

        @Bean
        NetioCodec<List<Hit>> lists() {
            return new OneLong<>(value -> 1L, number -> List.of());
        }

        @Bean
        NetioEncoder<Long> numbers() {
            return new NetioEncoder<>() {
                @Override
                public int size(Long value) {
                    return 3;
                }

                @Override
                public void encode(Long value, ByteBuffer target) {
                    target.put(new byte[3]);
                }
            };
        }
    }

    /** A codec whose type only the bean's method says. */
    private static final class OneLong<T> implements NetioCodec<T> {
        private final Function<Object, Long> number;
        private final Function<Long, T> value;

        OneLong(Function<Object, Long> number, Function<Long, T> value) {
            this.number = number;
            this.value = value;
        }

        @Override
        public int size(T of) {
            return Long.BYTES;
        }

        @Override
        public void encode(T of, ByteBuffer target) {
            target.putLong(number.apply(of));
        }

        @Override
        public T decode(ByteBuffer message) {
            return value.apply(message.getLong());
        }
    }

    @Test
    void shouldSayWhatIsMissing() {
        runner.withClassLoader(new FilteredClassLoader("tools.jackson")).run(context -> {
            NetioCodecs codecs = context.getBean(NetioCodecs.class);
            assertThatIllegalArgumentException().isThrownBy(() -> codecs.encoder(ResolvableType.forClass(Note.class)))
                    .withMessageContainingAll("Note", "NetioEncoder<", "spring-boot-starter-jackson", "spring-web");
        });
        for (String[] kind : new String[][] {{"json", "tools.jackson", "spring-boot-starter-jackson"},
            {"cbor", "tools.jackson.dataformat", "jackson-dataformat-cbor"},
            {"protobuf", "com.google.protobuf", "protobuf-java"}, {"json", "org.springframework.http", "spring-web"}}) {
            runner.withClassLoader(new FilteredClassLoader(kind[1])).withPropertyValues("netio.codec=" + kind[0]).run(context ->
                    assertThat(Contexts.failure(context)).contains("Property netio.codec is " + kind[0].toUpperCase(), kind[2]));
        }
    }
}
