// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Every kind of parameter with every kind of return type. */
@Timeout(120)
class ListenerMethodsTest {
    private static final int MESSAGES = 200;
    private static final List<String> ALL = IntStream.range(0, MESSAGES).mapToObj(Integer::toString).toList();

    /** What each method has got, by its name. Its messages are numbers as text. */
    public static class Every {
        final Map<String, List<String>> got = new ConcurrentHashMap<>();
        final Map<String, String> threads = new ConcurrentHashMap<>();

        private String add(String method, String text) {
            threads.put(method, Thread.currentThread().isVirtual() ? "virtual" : Thread.currentThread().getName());
            got.computeIfAbsent(method, name -> new CopyOnWriteArrayList<>()).add(text);
            return text;
        }

        private static String text(ByteBuffer buffer) {
            return StandardCharsets.UTF_8.decode(buffer).toString();
        }

        private Mono<String> later(String method, String text) {
            return Mono.delay(Duration.ofNanos(1)).map(n -> add(method, text));
        }

        @NetioListener("7")
        public void bufferNothing(ByteBuffer message) {
            add("bufferNothing", text(message));
        }

        @NetioListener("7")
        public String bufferValue(ByteBuffer message) {
            return add("bufferValue", text(message));
        }

        @NetioListener("7")
        public Mono<Void> bufferMono(ByteBuffer message) {
            return later("bufferMono", text(message)).then();
        }

        @NetioListener("7")
        public Flux<String> bufferFlux(ByteBuffer message) {
            return later("bufferFlux", text(message)).flatMapMany(done -> Flux.just("a", "b"));
        }

        @NetioListener("7")
        public void taggedNothing(TaggedMessage message) {
            assertThat(message.tag()).isEqualTo(7);
            add("taggedNothing", text(message.payload()));
        }

        @NetioListener("7")
        public Mono<String> taggedMono(TaggedMessage message) {
            return later("taggedMono", text(message.payload()));
        }

        @NetioListener("7")
        public CompletableFuture<String> taggedFuture(TaggedMessage message) {
            return later("taggedFuture", text(message.payload())).toFuture();
        }

        @NetioListener("7")
        public void leaseNothing(Lease message) {
            add("leaseNothing", text(message.buffer()));
        }

        @NetioListener("7")
        public int leaseValue(Lease message) {
            try (message) {
                return add("leaseValue", text(message.buffer())).length();
            }
        }

        @NetioListener("7")
        public Mono<Void> leaseMono(Lease message) {
            return Mono.delay(Duration.ofNanos(1)).map(n -> add("leaseMono", text(message.buffer()))).then();
        }

        @NetioListener("7")
        public Flux<Integer> leaseFlux(Lease message) {
            return Flux.range(0, 3).delayElements(Duration.ofNanos(1)).doOnNext(n -> {
                if (n == 2) {
                    add("leaseFlux", text(message.buffer()));
                }
            });
        }

        @NetioListener("7")
        public void valueNothing(String message) {
            add("valueNothing", message);
        }

        @NetioListener("7")
        public Object valueObject(String message) {
            return later("valueObject", message);
        }

        @NetioListener("7")
        public Mono<String> valueMono(String message) {
            return Mono.fromCallable(() -> add("valueMono", message));
        }

        @NetioListener("7")
        public Publisher<String> valuePublisher(String message) {
            return later("valuePublisher", message);
        }

        @NetioListener("7")
        public void bytes(@NetioTag long tag, byte[] message, @NetioStatus int status) {
            assertThat(tag).isEqualTo(7);
            assertThat(status).isZero();
            add("bytes", new String(message, StandardCharsets.UTF_8));
        }

        @NetioListener(tags = "7", blocking = BlockingMode.VIRTUAL_THREADS)
        public Mono<String> virtualMono(String message) {
            return Mono.fromCallable(() -> add("virtualMono", message));
        }

        @NetioListener(tags = "7", blocking = BlockingMode.NON_BLOCKING)
        public void loopNothing(String message) {
            add("loopNothing", message);
        }

        @NetioListener("7")
        public Mono<Void> fluxOfBuffers(Flux<ByteBuffer> messages) {
            return messages.doOnNext(message -> add("fluxOfBuffers", text(message))).then();
        }

        @NetioListener("7")
        public Flux<String> fluxOfTagged(Flux<TaggedMessage> messages) {
            return messages.map(message -> add("fluxOfTagged", text(message.payload())));
        }

        @NetioListener("7")
        public Flux<Lease> fluxOfLeases(Flux<Lease> messages) {
            return messages.doOnNext(message -> add("fluxOfLeases", text(message.buffer())));
        }

        @NetioListener("7")
        public Publisher<?> fluxOfValues(Flux<String> messages) {
            return messages.concatMap(message -> later("fluxOfValues", message));
        }

        @NetioListener("7")
        public CompletableFuture<Void> fluxAsFuture(Publisher<String> messages) {
            return Flux.from(messages).doOnNext(message -> add("fluxAsFuture", message)).then().toFuture();
        }
    }

    @Test
    void shouldCallEveryKindOfMethodWithEachMessageInOrder() {
        try (Detector detector = Detector.each(Tags.of(7), tag -> Flux.fromIterable(ALL).map(StandardCharsets.UTF_8::encode)
                .concatWith(Flux.never()))) {
            detector.application().withBean("every", Every.class).withBean(Connections.class).run(context -> {
                Every every = context.getBean(Every.class);
                NetioListenerRegistry registry = context.getBean(NetioListenerRegistry.class);
                assertThat(registry.listeners()).hasSize(23);
                for (NetioListenerContainer listener : registry.listeners()) {
                    String method = listener.id().substring("every.".length());
                    Detector.await(() -> every.got.getOrDefault(method, List.of()).size() >= MESSAGES,
                            () -> method + ": " + every.got.get(method) + listener.statistics());
                    assertThat(every.got.get(method)).as(method).isEqualTo(ALL);
                    NetioListenerStatistics all = new NetioListenerStatistics(MESSAGES, MESSAGES, 0, 0, 0, 0);
                    Detector.await(() -> listener.statistics().equals(all), listener::statistics);
                    assertThat(listener.state()).isEqualTo(NetioListenerState.RUNNING);
                }
                Connections connections = context.getBean(Connections.class);
                assertThat(connections.all).as("they share one").hasSize(1);
                Detector.await(connections::hasNoLeases, connections::statistics);
                assertThat(every.threads).as("may block").containsEntry("bufferNothing", "virtual")
                        .containsEntry("leaseValue", "virtual").containsEntry("virtualMono", "virtual");
                assertThat(every.threads.get("valueMono")).startsWith("netio-");
                assertThat(every.threads.get("loopNothing")).startsWith("netio-");
            });
        }
    }

    /** Listeners of another policy have another connection, one for all of them. */
    public static class Policies {
        final List<String> got = new CopyOnWriteArrayList<>();

        @NetioListener(tags = "7", whenSlow = SlowPolicy.DROP_OLDEST)
        public void dropOne(String message) {
            got.add(message);
        }

        @NetioListener(tags = "7", whenSlow = SlowPolicy.DROP_OLDEST)
        public void dropOther(String message) {
            got.add(message);
        }

        @NetioListener("7")
        public void keep(String message) {
            got.add(message);
        }
    }

    @Test
    void shouldWishAPolicyOverAConnectionThatIsSharedByThoseWhoDo() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.never());
        try (Detector detector = new Detector(publisher).start()) {
            detector.application().withBean(Policies.class).withBean(Connections.class).run(context -> {
                Detector.await(() -> publisher.statistics().subscribers() == 3, publisher::statistics);
                assertThat(context.getBean(Connections.class).all).hasSize(2);
            });
        }
    }

    public static class Choices {
        final Map<Long, String> got = new ConcurrentHashMap<>();

        @NetioListener(client = "detector", value = {"${tags:1,2}", "0x10-0x12", " 256/0xff00 "})
        public void on(@NetioTag Long tag, String message) {
            got.put(tag, message);
        }
    }

    @Test
    void shouldSubscribeToNumbersRangesAndPatterns() {
        NetioPublisher publisher = NetioPublisher.create();
        for (long tag : new long[] {1, 2, 3, 0x10, 0x12, 0x13, 0x100, 0x1ff, 0x200}) {
            publisher.publish(tag, Flux.just(StandardCharsets.UTF_8.encode("of " + tag)));
        }
        try (Detector detector = new Detector(publisher).start()) {
            detector.application().withBean(Choices.class).withPropertyValues("tags=1,3").run(context -> {
                Choices choices = context.getBean(Choices.class);
                Detector.await(() -> choices.got.size() == 6, () -> choices.got);
                assertThat(choices.got).containsOnlyKeys(1L, 3L, 0x10L, 0x12L, 0x100L, 0x1ffL).containsEntry(0x1ffL, "of 511");
            });
        }
    }
}
