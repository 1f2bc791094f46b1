// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioCodec;
import io.reactivenetio.spring.NetioClientCustomizer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;

/** What one end encodes is what the other decodes, in whatever byte order both are set to. */
@Timeout(120)
class ByteOrderTest {
    record Hit(long id, int channel) {
    }

    public static class Ends {
        @NetioPublish("1")
        public Flux<Hit> shared() {
            return Flux.just(new Hit(1, 2), new Hit(3, 4));
        }

        @NetioPublish(tags = "2", each = true)
        public Flux<Hit> each() {
            return Flux.just(new Hit(5, 6)).concatWith(Flux.never());
        }

        @NetioPublish(tags = "3", each = true)
        public Flux<ByteBuffer> buffers() {
            return Flux.just(ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(0, 7).putInt(8, 8))
                    .concatWith(Flux.never());
        }

        @NetioMapping("4")
        public Hit next(Hit hit) {
            return new Hit(hit.id() + 1, hit.channel() + 1);
        }
    }

    public static class Hits {
        final List<Hit> got = new CopyOnWriteArrayList<>();

        @NetioListener("1,2,3")
        public void on(Hit hit) {
            got.add(hit);
        }
    }

    private static ApplicationContextRunner little() {
        return Detector.application("netio.server.port=0", "netio.server.byte-order=little-endian").withBean(Ends.class);
    }

    private static String[] client(ApplicationContext server, String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        all.add("netio.clients.ends.port=" + server.getEnvironment().getProperty("local.netio.port"));
        return all.toArray(String[]::new);
    }

    @Test
    void shouldPublishInTheByteOrderOfTheServer() {
        little().run(server -> Detector.application(client(server, "netio.clients.ends.byte-order=little-endian"))
                .withBean(Hits.class).run(context -> {
                    Hits hits = context.getBean(Hits.class);
                    Detector.await(() -> hits.got.size() == 4, () -> hits.got);
                    assertThat(hits.got).containsExactlyInAnyOrder(new Hit(1, 2), new Hit(3, 4), new Hit(5, 6), new Hit(7, 8));
                }));
    }

    @Test
    void shouldAskInTheByteOrderThatACustomizerHasSet() {
        little().run(server -> Detector.application(client(server)).withBean(NetioClientCustomizer.class,
                () -> (name, client) -> client.byteOrder(ByteOrder.LITTLE_ENDIAN)).run(context -> {
                    NetioRequesters requesters = context.getBean(NetioRequesters.class);
                    assertThat(requesters.requester("ends", 4, Hit.class, Hit.class).request(new Hit(1, 2))
                            .block(Detector.PATIENCE)).isEqualTo(new Hit(2, 3));
                    ByteBuffer answer = requesters.requester("ends", 4, ByteBuffer.class, ByteBuffer.class)
                            .request(ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(0, 8))
                            .block(Detector.PATIENCE);
                    assertThat(answer.getLong()).isEqualTo(9);
                }));
    }

    record Wrong(int size) {
    }

    public static class WrongAnswers {
        @NetioMapping("4")
        public Wrong answer(Hit hit) {
            return new Wrong(hit.channel());
        }

        @NetioMapping("5")
        public String decoded(Wrong wrong) {
            return "never";
        }
    }

    /** Whose size is what it is told, and whose values are written as 4 bytes; it decodes nothing. */
    private static final class WrongCodec implements NetioCodec<Wrong> {
        @Override
        public int size(Wrong value) {
            return value.size();
        }

        @Override
        public void encode(Wrong value, ByteBuffer target) {
            target.putInt(0);
        }

        @Override
        public Wrong decode(ByteBuffer message) {
            return null;
        }
    }

    @Test
    void shouldSayWhatAnEncoderOrDecoderOfAnswersDoesWrong() {
        ApplicationContextRunner wrong = Detector.application("netio.server.port=0")
                .withUserConfiguration(WrongCodecs.class).withBean(WrongAnswers.class);
        wrong.run(server -> Detector.application(client(server)).run(context -> {
            NetioRequesters requesters = context.getBean(NetioRequesters.class);
            NetioTypedRequester<Hit, String> ask = requesters.requester("ends", 4, Hit.class, String.class);
            String encoder = "the encoder of " + Wrong.class.getName();
            assertThatThrownBy(() -> ask.request(new Hit(0, -1)).block()).hasMessageContaining(encoder + " says that it has -1");
            assertThatThrownBy(() -> ask.request(new Hit(0, 2)).block())
                    .hasMessageContaining(encoder + " failed behind byte 0 of 2");
            assertThatThrownBy(() -> ask.request(new Hit(0, 8)).block()).hasMessageContaining(encoder + " has written 4 of 8");
            assertThat(ask.request(new Hit(0, 4)).block()).hasSize(4);
            assertThatThrownBy(() -> requesters.requester("ends", 5, Hit.class, String.class).request(new Hit(0, 0)).block())
                    .hasMessageContaining("the decoder has made null");
        }));
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongCodecs {
        @Bean
        NetioCodec<Wrong> wrongCodec() {
            return new WrongCodec();
        }
    }
}
