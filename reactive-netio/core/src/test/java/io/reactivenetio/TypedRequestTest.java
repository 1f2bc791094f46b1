// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.api.TypedRequester;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Requests and answers that are values. */
@Timeout(120)
class TypedRequestTest extends TwoEnds {
    private static final long TAG = 7;
    private static final int MANY = 4_000;

    private record Question(int number, boolean twice) {
    }

    private record Answer(long number, double half) {
    }

    private static final NetioCodec<Question> QUESTIONS = NetioCodec.ofRecord(Question.class);
    private static final NetioCodec<Answer> ANSWERS = NetioCodec.ofRecord(Answer.class);

    private void connect(BackendType backend) {
        connect(backend, accepting -> accepting, connecting -> connecting);
    }

    private TypedRequester<Question, Answer> requester(Function<Question, Mono<Answer>> function) {
        server.respond(TAG, QUESTIONS, ANSWERS, function).subscribe();
        return client.requester(TAG, QUESTIONS, ANSWERS);
    }

    private static Mono<Answer> answer(Question question) {
        return Mono.just(new Answer(question.twice ? question.number * 2L : question.number, question.number / 2.0));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldAnswerValuesWithValues(BackendType backend) {
        connect(backend);
        TypedRequester<Question, Answer> requester = requester(question -> answer(question)
                .publishOn(question.twice ? Schedulers.parallel() : Schedulers.immediate()));
        assertThat(requester.tag()).isEqualTo(TAG);
        assertThat(Flux.range(0, MANY).flatMapSequential(i -> requester.request(new Question(i, i % 2 == 0)), 1_000)
                .collectList().block(PATIENCE)).isEqualTo(IntStream.range(0, MANY).mapToObj(i ->
                        new Answer(i % 2 == 0 ? i * 2L : i, i / 2.0)).toList());
    }

    @Test
    void shouldWriteInTheByteOrderOfTheTransport() {
        connect(BackendType.TCP, accepting -> accepting.byteOrder(ByteOrder.LITTLE_ENDIAN),
                connecting -> connecting.byteOrder(ByteOrder.LITTLE_ENDIAN));
        server.respond(TAG, request -> Mono.just(request)).subscribe(); // as it was written
        TypedRequester<Long, ByteBuffer> requester = client.requester(TAG, NetioCodec.longs(), NetioCodec.buffers());
        ByteBuffer answer = requester.request(7L).block(PATIENCE);
        assertThat(answer.order(ByteOrder.LITTLE_ENDIAN).getLong()).isEqualTo(7);
        server.respond(TAG + 1, NetioCodec.longs(), NetioCodec.longs(), number -> Mono.just(number + 1)).subscribe();
        ByteBuffer request = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, 41);
        assertThat(client.requester(TAG + 1).request(request).block(PATIENCE).order(ByteOrder.LITTLE_ENDIAN).getLong(0))
                .isEqualTo(42);
    }

    @Test
    void shouldPassEmptyMessagesAndEmptyMonos() {
        connect(BackendType.TCP);
        server.respond(TAG, 1, NetioCodec.utf8(), NetioCodec.utf8(),
                text -> text.equals("none") ? Mono.empty() : Mono.just(text)).subscribe();
        TypedRequester<String, String> requester = client.requester(TAG, NetioCodec.utf8(), NetioCodec.utf8());
        assertThat(requester.request("").block(PATIENCE)).isEmpty();
        assertThat(requester.request("none").blockOptional(PATIENCE)).isEmpty();
        assertThat(requester.request("gr\u00fcn").block(PATIENCE)).isEqualTo("gr\u00fcn");
    }

    @Test
    void shouldCancelWhatTheResponderDoes() {
        connect(BackendType.TCP);
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        TypedRequester<Question, Answer> requester = requester(question -> question.twice ? answer(question)
                : Mono.<Answer>never().doOnCancel(() -> cancelled.complete(null)));
        assertThatThrownBy(() -> requester.request(new Question(1, false)).timeout(Duration.ofMillis(50)).block(PATIENCE))
                .hasCauseInstanceOf(TimeoutException.class);
        cancelled.orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(requester.request(new Question(2, true)).block(PATIENCE)).isEqualTo(new Answer(4, 1));
    }

    @Test
    void shouldFailARequestThatTheResponderCannotRead() {
        connect(BackendType.TCP);
        TypedRequester<Question, Answer> requester = requester(TypedRequestTest::answer);
        TypedRequester<String, Answer> other = client.requester(TAG, NetioCodec.utf8(), ANSWERS);
        assertThatThrownBy(() -> other.request("no question").block(PATIENCE)).isInstanceOf(NetioStreamException.class)
                .hasMessageContaining("a message of 11 bytes; " + Question.class.getName() + " has 5 bytes");
        assertThat(requester.request(new Question(2, true)).block(PATIENCE)).isEqualTo(new Answer(4, 1));
    }

    @Test
    void shouldFailARequestWhoseAnswerCannotBeWritten() {
        connect(BackendType.TCP);
        NetioEncoder<Integer> wrong = new NetioEncoder<>() {
            @Override
            public int size(Integer value) {
                return value;
            }

            @Override
            public void encode(Integer value, ByteBuffer target) {
                target.putInt(value);
            }
        };
        server.respond(TAG, message -> message.getInt(0), wrong, (Integer size) -> Mono.just(size)).subscribe();
        TypedRequester<Integer, Integer> requester = client.requester(TAG, wrong, ByteBuffer::getInt);
        assertThatThrownBy(() -> answerOf(-1)).isInstanceOf(NetioStreamException.class).hasMessageContaining("-1 bytes");
        assertThatThrownBy(() -> answerOf(5)).hasMessageContaining(wrong.getClass().getName() + " wrote 4 bytes")
                .hasMessageContaining("said 5");
        assertThatThrownBy(() -> answerOf(3)).hasMessageContaining("failed behind byte 0").hasMessageContaining("said 3 bytes");
        assertThatThrownBy(() -> answerOf(Integer.MAX_VALUE)).hasMessageContaining("at most " + (64 << 20));
        assertThat(requester.request(4).block(PATIENCE)).isEqualTo(4);
    }

    private ByteBuffer answerOf(int size) {
        return client.requester(TAG).request(ByteBuffer.allocate(4).putInt(0, size)).block(PATIENCE);
    }

    @Test
    void shouldAskNothingWhereTheEncoderIsAtFault() {
        connect(BackendType.TCP);
        AtomicInteger asked = new AtomicInteger();
        server.respond(TAG, message -> {
            asked.incrementAndGet();
            return Mono.just(message);
        }).subscribe();
        TypedRequester<byte[], byte[]> requester = client.requester(TAG, NetioCodec.bytes(), NetioCodec.bytes());
        byte[] large = new byte[(64 << 20) + 1];
        assertThatThrownBy(() -> requester.request(large).block(PATIENCE)).isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("says that a message has 67108865 bytes; at most 67108864 can be sent");
        TypedRequester<Long, byte[]> throwing = client.requester(TAG, NetioEncoder.ofSize(8, (value, target) -> {
            throw new UnsupportedOperationException("not " + value);
        }), NetioCodec.bytes());
        for (int i = 0; i < 2 * NetioRequester.MOST_WAITING; i++) { // none of them takes a place
            assertThatThrownBy(() -> throwing.request(7L).block(PATIENCE)).isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("not 7");
        }
        assertThat(requester.request(new byte[] {1}).block(PATIENCE)).containsExactly(1);
        assertThat(asked.get()).isEqualTo(1);
    }

    @Test
    void shouldFailWithWhatTheDecoderOfTheAnswerThrows() {
        connect(BackendType.TCP);
        server.respond(TAG, request -> Mono.just(request)).subscribe();
        TypedRequester<String, Long> requester = client.requester(TAG, NetioCodec.utf8(), NetioCodec.longs());
        assertThatThrownBy(() -> requester.request("four").block(PATIENCE)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a message of 4 bytes; a long has 8 bytes");
        assertThatThrownBy(() -> client.requester(TAG, NetioCodec.utf8(), message -> null).request("").block(PATIENCE))
                .isInstanceOf(NullPointerException.class).hasMessage("the decoder returned null");
        assertThat(requester.request("eight by").block(PATIENCE)).isNotNull();
    }

    @Test
    void shouldFailARequestThatTheResponderReadsAsNull() {
        connect(BackendType.TCP);
        server.respond(TAG, message -> null, NetioCodec.utf8(), nothing -> Mono.just("")).subscribe();
        assertThatThrownBy(() -> client.requester(TAG).request(ByteBuffer.allocate(1)).block(PATIENCE))
                .isInstanceOf(NetioStreamException.class).hasMessageContaining("the decoder returned null");
        server.respond(TAG + 1, NetioCodec.utf8(), NetioCodec.utf8(), text -> null).subscribe();
        assertThatThrownBy(() -> client.requester(TAG + 1).request(ByteBuffer.allocate(1)).block(PATIENCE))
                .hasMessageContaining("the function has returned no Mono");
    }

    @Test
    void shouldNeedStreamFraming() {
        connect(BackendType.TCP, accepting -> accepting.framing(Framing.raw()), connecting -> connecting.framing(Framing.raw()));
        assertThatThrownBy(() -> client.requester(TAG, QUESTIONS, ANSWERS)).isInstanceOf(NotSupportedException.class);
        assertThatThrownBy(() -> server.respond(TAG, QUESTIONS, ANSWERS, TypedRequestTest::answer))
                .isInstanceOf(NotSupportedException.class);
        for (int concurrency : List.of(0, 65_537)) {
            assertThatThrownBy(() -> server.respond(TAG, concurrency, QUESTIONS, ANSWERS, TypedRequestTest::answer))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
