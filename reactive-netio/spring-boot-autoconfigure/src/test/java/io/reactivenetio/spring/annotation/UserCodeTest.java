// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.annotation.NetioFailure.Kind;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The application's code throws every kind of Throwable: that is told, what it belongs to ends, and the rest goes on. */
@Timeout(120)
class UserCodeTest {
    private static final int NUMBERS = 20;
    private static final long BAD = 5;

    /** What code may throw. */
    public enum Bad {
        RUNTIME,
        ASSERTION,
        CHECKED,
        LINKAGE,
        STACK,
        NULL_TEXT,
        THROWING_TEXT;

        Throwable make() {
            return switch (this) {
                case RUNTIME -> new IllegalStateException("bad");
                case ASSERTION -> new AssertionError("bad");
                case CHECKED -> new IOException("bad");
                case LINKAGE -> new NoClassDefFoundError("bad");
                case STACK -> new StackOverflowError("bad");
                case NULL_TEXT -> new IllegalStateException("bad") {
                    @Override
                    public String toString() {
                        return null;
                    }

                    @Override
                    public String getMessage() {
                        return null;
                    }
                };
                case THROWING_TEXT -> new IllegalStateException("bad") {
                    @Override
                    public String toString() {
                        throw new IllegalArgumentException("no text");
                    }

                    @Override
                    public String getMessage() {
                        throw new IllegalArgumentException("no text");
                    }
                };
            };
        }

        /** Also what the compiler would not let pass. */
        <T> T thrown() {
            throw UserCodeTest.<RuntimeException>sneaky(make());
        }
    }

    @SuppressWarnings("unchecked") // that is the trick
    private static <E extends Throwable> E sneaky(Throwable t) throws E {
        throw (E) t;
    }

    /** One method of each kind, which fail with the same message. */
    public static class Methods {
        final Bad bad;
        final Map<String, List<Long>> got = new ConcurrentHashMap<>();
        final AtomicBoolean fluxHasFailed = new AtomicBoolean();
        final AtomicBoolean subscribeHasFailed = new AtomicBoolean();

        Methods(Bad bad) {
            this.bad = bad;
        }

        private long take(String method, long number) {
            if (number == BAD) {
                return bad.<Long>thrown();
            }
            got.computeIfAbsent(method, name -> new CopyOnWriteArrayList<>()).add(number);
            return number;
        }

        @NetioListener(tags = "7", id = "thread")
        public void onThread(ByteBuffer message) {
            take("thread", message.getLong());
        }

        @NetioListener(tags = "7", id = "loop", blocking = BlockingMode.NON_BLOCKING)
        public void onLoop(ByteBuffer message) {
            take("loop", message.getLong());
        }

        @NetioListener(tags = "7", id = "call")
        public Mono<Void> call(ByteBuffer message) {
            take("call", message.getLong());
            return Mono.empty();
        }

        @NetioListener(tags = "7", id = "callable")
        public Mono<Long> callable(ByteBuffer message) {
            return Mono.fromCallable(() -> take("callable", message.getLong()));
        }

        @NetioListener(tags = "7", id = "map")
        public Flux<Long> map(ByteBuffer message) {
            return Flux.just(message.getLong()).map(number -> take("map", number));
        }

        @NetioListener(tags = "7", id = "signal")
        public Mono<Long> signal(ByteBuffer message) {
            long number = message.getLong();
            return number == BAD ? Mono.error(bad.make()) : Mono.just(take("signal", number));
        }

        @NetioListener(tags = "7", id = "decoder")
        public void decoded(Number8 message) {
            take("decoder", message.value() == BAD ? -1 : message.value());
        }

        @NetioListener(tags = "7", id = "flux", retryDelay = "1ms")
        public Flux<Long> flux(Flux<ByteBuffer> messages) {
            return messages.map(message -> {
                long number = message.getLong();
                return take("flux", number == BAD && fluxHasFailed.getAndSet(true) ? -1 : number);
            });
        }

        /** The second call fails when it is subscribed to. */
        @NetioListener(tags = "7", id = "subscribe", retryDelay = "1ms")
        public Flux<Long> subscribe(Flux<ByteBuffer> messages) {
            if (subscribeHasFailed.getAndSet(true)) {
                return messages.map(message -> take("subscribe", message.getLong() % BAD + BAD + 1));
            }
            return Flux.from(subscriber -> bad.thrown());
        }
    }

    record Number8(long value) {
    }

    public static class Number8Codec implements NetioCodec<Number8> {
        final Bad bad;

        Number8Codec(Bad bad) {
            this.bad = bad;
        }

        @Override
        public int size(Number8 value) {
            return Long.BYTES;
        }

        @Override
        public void encode(Number8 value, ByteBuffer target) {
            target.putLong(value.value() == BAD ? bad.<Long>thrown() : value.value());
        }

        @Override
        public Number8 decode(ByteBuffer message) {
            long value = message.getLong();
            return value == BAD ? bad.thrown() : new Number8(value);
        }
    }

    /** Hears of everything, and throws. */
    public static class Throwing implements NetioErrorHandler {
        final Bad bad;
        final List<NetioFailure> failures = new CopyOnWriteArrayList<>();

        Throwing(Bad bad) {
            this.bad = bad;
        }

        @Override
        public void handle(NetioFailure failure) {
            failures.add(failure);
            bad.thrown();
        }
    }

    private static final List<Long> GOOD = LongStream.range(0, NUMBERS).filter(n -> n != BAD).boxed().toList();

    @ParameterizedTest
    @EnumSource
    void shouldTellWhatAListenerHasThrownAndGoOn(Bad bad) {
        try (Detector detector = Detector.of(NUMBERS)) {
            detector.application().withBean(Methods.class, bad).withBean(Number8Codec.class, bad).withBean(Throwing.class, bad)
                    .run(context -> {
                        NetioListenerRegistry registry = context.getBean(NetioListenerRegistry.class);
                        Throwing told = context.getBean(Throwing.class);
                        Methods methods = context.getBean(Methods.class);
                        NetioListenerStatistics expected = new NetioListenerStatistics(NUMBERS, NUMBERS - 1, 1, 0, 0, 0);
                        for (String id : List.of("thread", "loop", "call", "callable", "map", "signal", "decoder")) {
                            NetioListenerContainer one = registry.listener(id);
                            Detector.await(() -> one.statistics().equals(expected), () -> id + ": " + one.statistics());
                            assertThat(methods.got.get(id)).as(id).isEqualTo(GOOD);
                            assertThat(told.failures).filteredOn(failure -> failure.listener().equals(id)).singleElement()
                                    .extracting(NetioFailure::kind).isEqualTo(id.equals("decoder") ? Kind.DECODING
                                            : Kind.MESSAGE);
                        }
                        for (String id : List.of("flux", "subscribe")) {
                            Detector.await(() -> methods.got.containsKey(id) && methods.got.get(id).size() >= NUMBERS,
                                    () -> id + ": " + methods.got.get(id) + ", " + told.failures.size());
                            assertThat(told.failures).filteredOn(failure -> failure.listener().equals(id)).singleElement()
                                    .extracting(NetioFailure::kind).isEqualTo(Kind.FLUX);
                            assertThat(registry.listener(id).state()).isEqualTo(NetioListenerState.RUNNING);
                        }
                    });
        }
    }

    /** The same by requests. */
    public static class Answers {
        final Bad bad;

        Answers(Bad bad) {
            this.bad = bad;
        }

        private Number8 answer(long number) {
            return number == BAD ? bad.thrown() : new Number8(number);
        }

        @NetioMapping("1")
        public Number8 onThread(ByteBuffer request) {
            return answer(request.getLong());
        }

        @NetioMapping(value = "2", blocking = BlockingMode.NON_BLOCKING)
        public Number8 onLoop(ByteBuffer request) {
            return answer(request.getLong());
        }

        @NetioMapping("3")
        public Mono<Number8> call(ByteBuffer request) {
            return Mono.just(answer(request.getLong()));
        }

        @NetioMapping("4")
        public Mono<Number8> callable(ByteBuffer request) {
            long number = request.getLong();
            return Mono.fromCallable(() -> answer(number));
        }

        @NetioMapping(value = "5", blocking = BlockingMode.VIRTUAL_THREADS)
        public Mono<Number8> callableOnThread(ByteBuffer request) {
            return callable(request);
        }

        @NetioMapping("6")
        public Number8 decoded(Number8 request) {
            return request;
        }

        @NetioMapping("7")
        public Number8 encoded(ByteBuffer request) {
            return new Number8(request.getLong());
        }

        @NetioMapping(value = "8", blocking = BlockingMode.NON_BLOCKING)
        public Number8 encodedOnLoop(ByteBuffer request) {
            return new Number8(request.getLong());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAnswerWithWhatAMappingHasThrownAndGoOn(Bad bad) {
        ApplicationContextRunner application = Detector.application("netio.server.port=0").withBean(Answers.class, bad)
                .withBean(Number8Codec.class, bad);
        application.run(context -> {
            int port = context.getEnvironment().getRequiredProperty("local.netio.port", Integer.class);
            NetioConnection connection = NetioClient.create().backend(BackendType.TCP).port(port).connectNow();
            for (int tag = 1; tag <= 8; tag++) {
                int asked = tag;
                assertThatThrownBy(() -> connection.requester(asked).request(Detector.number(BAD)).block(Detector.PATIENCE))
                        .as("tag " + tag).isInstanceOf(NetioException.class);
                assertThat(connection.requester(asked).request(Detector.number(9)).map(ByteBuffer::getLong)
                        .block(Detector.PATIENCE)).as("tag " + tag).isEqualTo(9);
            }
            connection.disposeNow(Detector.PATIENCE);
        });
    }
}
