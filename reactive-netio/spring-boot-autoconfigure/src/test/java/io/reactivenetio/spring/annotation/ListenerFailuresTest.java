// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioCodec;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.annotation.NetioFailure.Kind;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What goes wrong with a message is told, and the listener goes on. */
@Timeout(120)
class ListenerFailuresTest {

    /** Keeps what it is told. */
    public static class Told implements NetioErrorHandler {
        final List<NetioFailure> failures = new CopyOnWriteArrayList<>();
        final List<Long> contents = new CopyOnWriteArrayList<>();

        @Override
        public void handle(NetioFailure failure) {
            failures.add(failure);
            switch (failure.message()) {
                case ByteBuffer buffer -> contents.add(buffer.getLong());
                case TaggedMessage message -> contents.add(message.payload().getLong());
                case Lease lease -> contents.add(lease.buffer().getLong());
                case Number number -> contents.add(number.longValue());
                case null, default -> contents.add(-1L);
            }
        }
    }

    /** A multiple of 10 fails. */
    private static long checked(long number) throws IOException {
        if (number % 10 == 0) {
            throw new IOException("no good: " + number);
        }
        return number;
    }

    public static class Failing {
        final Map<String, List<Long>> got = new ConcurrentHashMap<>();

        private void add(String method, long number) throws IOException {
            got.computeIfAbsent(method, name -> Collections.synchronizedList(new ArrayList<>())).add(checked(number));
        }

        private Mono<Void> later(String method, long number) {
            return Mono.fromCallable(() -> {
                add(method, number);
                return number;
            }).then();
        }

        @NetioListener("7")
        public void buffer(ByteBuffer message) throws IOException {
            add("buffer", message.getLong());
        }

        @NetioListener("7")
        public Mono<Void> tagged(TaggedMessage message) {
            return later("tagged", message.payload().getLong());
        }

        @NetioListener("7")
        public Mono<Void> taggedThrows(TaggedMessage message) throws IOException {
            add("taggedThrows", message.payload().getLong());
            return Mono.empty();
        }

        @NetioListener("7")
        public void lease(Lease message) throws IOException {
            try (message) { // also when it fails
                add("lease", message.buffer().getLong());
            }
        }

        @NetioListener("7")
        public Mono<Void> leaseMono(Lease message) {
            return later("leaseMono", message.buffer().getLong());
        }
    }

    private static final List<Long> GOOD = LongStream.range(0, 100).filter(n -> n % 10 != 0).boxed().toList();

    @Test
    void shouldTellTheOnlyHandlerAndGoOn() {
        try (Detector detector = Detector.of(100)) {
            ApplicationContextRunner application = detector.application().withBean("failing", Failing.class)
                    .withBean(Told.class).withBean(Connections.class);
            application.run(context -> {
                Failing failing = context.getBean(Failing.class);
                Told told = context.getBean(Told.class);
                for (String method : List.of("buffer", "tagged", "taggedThrows", "lease", "leaseMono")) {
                    NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("failing." + method);
                    NetioListenerStatistics all = new NetioListenerStatistics(100, 90, 10, 0, 0, 0);
                    Detector.await(() -> listener.statistics().equals(all), listener::statistics);
                    assertThat(failing.got.get(method)).as(method).isEqualTo(GOOD);
                }
                assertThat(told.failures).hasSize(50).allSatisfy(failure -> {
                    assertThat(failure.kind()).isEqualTo(Kind.MESSAGE);
                    assertThat(failure.tag()).isEqualTo(7);
                    assertThat(failure.attempts()).isEqualTo(1);
                    assertThat(failure.what()).isEqualTo("a message of tag 7");
                    assertThat(failure.error()).isInstanceOf(IOException.class).hasMessageStartingWith("no good");
                });
                assertThat(told.contents).as("as they were").hasSize(50).allMatch(number -> number % 10 == 0);
                Connections connections = context.getBean(Connections.class);
                Detector.await(connections::hasNoLeases, connections::statistics);
            });
        }
    }

    /** Fails so often with each message. */
    public static class Again {
        final Map<Long, AtomicInteger> attempts = new ConcurrentHashMap<>();
        final List<Long> got = Collections.synchronizedList(new ArrayList<>());

        private void attempt(long number) throws IOException {
            if (attempts.computeIfAbsent(number, n -> new AtomicInteger()).incrementAndGet() <= number % 4) {
                throw new IOException("not yet");
            }
            got.add(number);
        }

        @NetioListener(tags = "7", retry = "2", retryDelay = "1ms", errorHandler = "named")
        public void onBuffer(ByteBuffer message) throws IOException {
            attempt(message.getLong());
        }

        @NetioListener(tags = "8", retry = "2", retryDelay = "1ms", errorHandlerType = Told.class)
        public Mono<Void> onLease(Lease message) {
            return Mono.fromCallable(() -> {
                try (message) {
                    attempt(message.buffer().getLong());
                }
                return true;
            }).then();
        }
    }

    @Test
    void shouldTryAgain() {
        List<Long> good = LongStream.range(0, 20).filter(n -> n % 4 != 3).boxed().toList();
        for (int tag : new int[] {7, 8}) {
            try (Detector detector = Detector.each(Tags.of(tag), any -> Flux.range(0, 20).map(Detector::number)
                    .concatWith(Flux.never()))) {
                detector.application().withBean("again", Again.class).withBean("named", Told.class).withBean(Connections.class)
                        .run(context -> {
                            Again again = context.getBean(Again.class);
                            Told told = context.getBean(Told.class);
                            Detector.await(() -> told.contents.size() == 5 && again.got.size() == 15, () -> again.got);
                            assertThat(again.got).as("in order, each in its turn").isEqualTo(good);
                            assertThat(told.failures).allSatisfy(failure -> assertThat(failure.attempts()).isEqualTo(3));
                            assertThat(told.contents).containsExactly(3L, 7L, 11L, 15L, 19L);
                            assertThat(again.attempts.values().stream().mapToInt(AtomicInteger::get).max()).hasValue(3);
                            Connections connections = context.getBean(Connections.class);
                            Detector.await(connections::hasNoLeases, connections::statistics);
                        });
            }
        }
    }

    /** An odd number is no even one. */
    public static class EvenCodec implements NetioCodec<Even> {
        @Override
        public int size(Even value) {
            return Long.BYTES;
        }

        @Override
        public void encode(Even value, ByteBuffer target) {
            target.putLong(value.number());
        }

        @Override
        public Even decode(ByteBuffer message) {
            return message.getLong(0) % 2 == 0 ? new Even(message.getLong()) : null;
        }
    }

    record Even(long number) {
    }

    public static class Decoding {
        final List<Long> got = Collections.synchronizedList(new ArrayList<>());
        final List<Long> gotByFlux = Collections.synchronizedList(new ArrayList<>());

        @NetioListener(tags = "7", retry = "5")
        public void one(Even message) {
            got.add(message.number());
        }

        @NetioListener("7")
        public Flux<Even> all(Flux<Even> messages) {
            return messages.doOnNext(message -> gotByFlux.add(message.number()));
        }
    }

    @Test
    void shouldGoOnAfterAMessageThatCannotBeDecoded() {
        try (Detector detector = Detector.of(100)) {
            detector.application().withBean(Decoding.class).withBean(EvenCodec.class).withBean(Told.class).run(context -> {
                Decoding decoding = context.getBean(Decoding.class);
                Told told = context.getBean(Told.class);
                Detector.await(() -> decoding.got.size() == 50 && decoding.gotByFlux.size() == 50 && told.failures.size() == 100,
                        () -> decoding.got + " " + told.failures.size());
                assertThat(decoding.got).isEqualTo(LongStream.range(0, 50).map(n -> 2 * n).boxed().toList())
                        .isEqualTo(decoding.gotByFlux);
                assertThat(told.failures).allSatisfy(failure -> {
                    assertThat(failure.kind()).isEqualTo(Kind.DECODING);
                    assertThat(failure.message()).isNull();
                    assertThat(failure.attempts()).isZero();
                });
            });
        }
    }

    /** Throws whatever it is told, so that nobody hears of it. */
    public static class Worse implements NetioErrorHandler {
        @Override
        public void handle(NetioFailure failure) {
            throw new AssertionError("worse than " + failure.error());
        }
    }

    @Test
    void shouldGoOnWhenTheHandlerThrows() {
        try (Detector detector = Detector.of(100)) {
            detector.application().withBean("failing", Failing.class).withBean(Worse.class).run(context -> {
                Failing failing = context.getBean(Failing.class);
                Detector.await(() -> failing.got.values().stream().mapToInt(List::size).sum() == 5 * 90, () -> failing.got);
            });
        }
    }

    public static class Two {
        final List<Long> got = Collections.synchronizedList(new ArrayList<>());

        @NetioListener("7-8")
        public void range(ByteBuffer message) {
            got.add(message.getLong());
        }

        @NetioListener("7,8")
        public void both(ByteBuffer message) {
            got.add(message.getLong());
        }
    }

    /** The source of tag 7 fails, which no reconnecting helps against. */
    @Test
    void shouldSayThatASubscriptionIsOver() {
        NetioPublisher publisher = NetioPublisher.create()
                .publish(7, Flux.concat(Flux.range(0, 3).map(Detector::number), Flux.error(new IOException("broken"))))
                .publish(8, Flux.concat(Flux.range(0, 3).map(Detector::number), Flux.never()));
        try (Detector detector = new Detector(publisher).start()) {
            detector.application().withBean("two", Two.class).withBean(Told.class).run(context -> {
                Told told = context.getBean(Told.class);
                NetioListenerContainer both = context.getBean(NetioListenerRegistry.class).listener("two.both");
                NetioListenerContainer range = context.getBean(NetioListenerRegistry.class).listener("two.range");
                Detector.await(() -> told.failures.size() == 2 && range.state() == NetioListenerState.FAILED,
                        () -> told.failures);
                assertThat(told.failures).allSatisfy(failure -> {
                    assertThat(failure.kind()).isEqualTo(Kind.SUBSCRIPTION);
                    assertThat(failure.error()).isInstanceOf(NetioStreamException.class).hasMessageContaining("broken");
                }).extracting(NetioFailure::what).containsExactlyInAnyOrder("the subscription to tag 7",
                        "the subscription to tags 7 to 8");
                assertThat(range.failure()).isInstanceOf(NetioStreamException.class);
                assertThat(both.state()).as("tag 8 goes on").isEqualTo(NetioListenerState.RUNNING);
            });
        }
    }
}
