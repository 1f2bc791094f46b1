// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods whose Flux is published. */
@Timeout(120)
class NetioPublishTest {

    record Reading(int sensor, double value) {
    }

    public static class Sources {
        final AtomicInteger calls = new AtomicInteger();

        @NetioPublish("1")
        public Flux<ByteBuffer> buffers() {
            return Flux.range(0, 3).map(Detector::number);
        }

        @NetioPublish("2")
        public Publisher<Reading> values() {
            return Flux.range(0, 2).map(n -> new Reading(n, n / 2.0));
        }

        @NetioPublish("16-31")
        public Flux<TaggedMessage> tagged() {
            return Flux.range(16, 3).map(tag -> new TaggedMessage(tag, tag, Detector.number(tag)));
        }

        @NetioPublish(tags = {"100-199", "300"}, each = true)
        public Flux<String> each(@NetioTag long tag) {
            calls.incrementAndGet();
            return Flux.just("tag " + tag, "end");
        }

        @NetioPublish(tags = "400", each = true)
        public Mono<String> one() {
            return Mono.just("one");
        }
    }

    public static class State {
        @NetioPublish(tags = "9", retainLast = true)
        public Flux<String> mode() {
            return Flux.just("off", "on").concatWith(Flux.never());
        }
    }

    @Test
    void shouldGiveTheLastValueToWhoSubscribesLater() {
        Detector.application("netio.server.port=0").withBean(State.class).run(context -> {
            Flux<TaggedMessage> mode = subscriber(context).subscribe(9);
            assertThat(texts(mode.take(2))).containsExactly("off", "on");
            assertThat(texts(mode.take(1))).containsExactly("on");
        });
    }

    private static NetioSubscriber subscriber(ApplicationContext context) {
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP)
                .port(context.getEnvironment().getRequiredProperty("local.netio.port", Integer.class)));
    }

    private static List<String> texts(Flux<TaggedMessage> messages) {
        return messages.map(message -> StandardCharsets.UTF_8.decode(message.payload()).toString()).collectList()
                .block(Duration.ofSeconds(30));
    }

    @Test
    void shouldPublishWhatMethodsReturn() {
        Detector.application("netio.server.port=0").withBean(Sources.class).run(context -> {
            NetioSubscriber subscriber = subscriber(context);
            assertThat(subscriber.subscribe(1).map(message -> message.payload().getLong()).collectList()
                    .block(Duration.ofSeconds(30))).containsExactly(0L, 1L, 2L);
            assertThat(subscriber.subscribe(NetioCodec.ofRecord(Reading.class), 2).collectList().block(Duration.ofSeconds(30)))
                    .containsExactly(new Reading(0, 0), new Reading(1, 0.5));
            assertThat(subscriber.subscribe(Tags.range(16, 31)).map(TaggedMessage::status).collectList()
                    .block(Duration.ofSeconds(30))).containsExactly(16, 17, 18);
            assertThat(texts(subscriber.subscribe(150))).containsExactly("tag 150", "end");
            assertThat(texts(subscriber.subscribe(300))).containsExactly("tag 300", "end");
            assertThat(texts(subscriber.subscribe(300))).containsExactly("tag 300", "end");
            assertThat(texts(subscriber.subscribe(400))).containsExactly("one");
            assertThat(context.getBean(Sources.class).calls).hasValue(3);
        });
    }
}
