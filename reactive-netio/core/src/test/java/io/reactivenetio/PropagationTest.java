// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.lifecycle.DefaultConnection;
import io.reactivenetio.request.Propagation;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.wire.Handshake;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** What is in the Context of a requester's subscriber is in that of the responder's Mono, if both sides wish it. */
@Timeout(180)
class PropagationTest extends TwoEnds {
    private static final Framing SMALL = Framing.stream().maxMessageSize(10_000);
    private static final long TAG = 7;
    private static final int REQUEST_WITH_HEADERS = 6; // docs/wire-format.md
    private static final NetioPropagator USER = NetioPropagator.ofKeys("user", "run");

    /** Writes what it is given, and keeps what it reads. */
    private static final class Given implements NetioPropagator {
        private final Function<ContextView, Map<String, String>> headers;
        private final List<Map<String, String>> read = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger written = new AtomicInteger();

        Given(Function<ContextView, Map<String, String>> headers) {
            this.headers = headers;
        }

        @Override
        public void write(ContextView context, BiConsumer<String, String> to) {
            written.incrementAndGet();
            headers.apply(context).forEach(to);
        }

        @Override
        public Context read(Map<String, String> from, Context context) {
            read.add(from);
            return context.put("read", from.toString());
        }
    }

    private void connect(BackendType backend, @Nullable NetioPropagator onServer, @Nullable NetioPropagator onClient) {
        connect(backend, s -> with(s.receiveBuffers(2048, 8).sendBuffers(2048, 8).framing(SMALL), onServer),
                c -> with(c.receiveBuffers(2048, 8).sendBuffers(2048, 8).framing(SMALL), onClient));
    }

    private static <T extends NetioTransport<T>> T with(NetioTransport<T> transport, @Nullable NetioPropagator propagator) {
        return propagator == null ? transport.framing(transport.streamFraming()) : transport.propagation(propagator);
    }

    private static ByteBuffer text(String text) {
        return StandardCharsets.UTF_8.encode(text);
    }

    private static String text(ByteBuffer payload) {
        return StandardCharsets.UTF_8.decode(payload.duplicate()).toString();
    }

    private Mono<String> ask(String question) {
        return client.requester(TAG).request(text(question)).map(PropagationTest::text);
    }

    /** Answers with the request and the values of {@code keys} in the Context. */
    private static Function<ByteBuffer, Mono<ByteBuffer>> tell(String... keys) {
        return request -> Mono.deferContextual(context -> {
            StringBuilder answer = new StringBuilder(text(request));
            for (String key : keys) {
                answer.append(' ').append(context.<Object>getOrDefault(key, "null"));
            }
            return Mono.just(text(answer.toString()));
        });
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPassTheChosenKeysOnAndNoOthers(BackendType backend) {
        connect(backend, USER, NetioPropagator.ofKeys("user", "run", "secret"));
        server.respond(TAG, tell("user", "run", "secret")).subscribe();
        StepVerifier.create(ask("hello").contextWrite(Context.of("user", "ann", "run", "ü 7", "secret", "s", "other", "o")))
                .expectNext("hello ann ü 7 null").expectComplete().verify(PATIENCE);
        StepVerifier.create(ask("hello").contextWrite(Context.of("user", "")))
                .expectNext("hello  null null").expectComplete().verify(PATIENCE);
        StepVerifier.create(ask("hello").contextWrite(Context.of("user", 42))) // no String
                .expectNext("hello null null null").expectComplete().verify(PATIENCE);
        StepVerifier.create(ask("hello")).expectNext("hello null null null").expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPassOnFromOneHopToTheNext(BackendType backend) {
        DisposableServer last = NetioServer.create().backend(backend).runOn(loops).propagation(USER)
                .doOnConnection(connection -> connection.respond(TAG, tell("user")).subscribe()).bindNow();
        NetioConnection next = NetioClient.create().backend(backend).runOn(loops).port(last.port()).propagation(USER)
                .connectNow();
        connect(backend, USER, USER);
        server.respond(TAG, request -> next.requester(TAG).request(request)).subscribe();
        StepVerifier.create(ask("hello").contextWrite(Context.of("user", "ann"))).expectNext("hello ann").expectComplete()
                .verify(PATIENCE);
        StepVerifier.create(ask("hello")).expectNext("hello null").expectComplete().verify(PATIENCE);
        next.dispose();
        last.dispose();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldPassOnInBothDirectionsOfAConnection(BackendType backend) {
        connect(backend, USER, USER);
        client.respond(TAG, tell("user")).subscribe();
        StepVerifier.create(server.requester(TAG).request(text("hello")).map(PropagationTest::text)
                .contextWrite(Context.of("user", "server"))).expectNext("hello server").expectComplete().verify(PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAnswerWhoeverHasNoPropagator(boolean requesterHasThem) {
        Given given = new Given(context -> Map.of("never", "written"));
        connect(BackendType.TCP, requesterHasThem ? null : given, requesterHasThem ? given : null);
        server.respond(TAG, tell("user")).subscribe();
        for (int i = 0; i < 3; i++) {
            StepVerifier.create(ask("hello").contextWrite(Context.of("user", "ann"))).expectNext("hello null").expectComplete()
                    .verify(PATIENCE);
        }
        assertThat(given.written).hasValue(requesterHasThem ? 3 : 0);
        assertThat(given.read).allMatch(Map::isEmpty).hasSize(requesterHasThem ? 0 : 3);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGiveEachOfManyRequestsItsOwnHeadersWhateverHappensToIt(BackendType backend) throws InterruptedException {
        connect(backend, USER, USER);
        AtomicInteger working = new AtomicInteger();
        Map<String, String> seen = new ConcurrentHashMap<>();
        server.respond(TAG, 64, request -> Mono.deferContextual(context -> {
            String question = text(request);
            seen.put(question, context.getOrDefault("user", "nobody"));
            int number = Integer.parseInt(question);
            Mono<ByteBuffer> answer = switch (number % 4) {
                case 0 -> Mono.error(new IllegalStateException("no " + number));
                case 1 -> Mono.never();
                default -> Mono.just(text(question + " " + context.get("user")));
            };
            return answer.delaySubscription(Duration.ofNanos(number * 7919L % 1_000_000), Schedulers.parallel());
        }).doOnSubscribe(s -> working.incrementAndGet()).doFinally(signal -> working.decrementAndGet())).subscribe();
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Flux.range(0, 1_000).flatMap(n -> ask("" + n)
                .doOnNext(answer -> {
                    assertThat(answer).isEqualTo(n + " user " + n);
                    answered.incrementAndGet();
                })
                .timeout(Duration.ofMillis(n % 4 == 1 ? 20 : PATIENCE.toMillis()))
                .onErrorResume(TimeoutException.class, e -> Mono.empty())
                .onErrorResume(NetioStreamException.class, e -> {
                    assertThat(e).hasMessageContaining("no " + n);
                    return Mono.empty();
                })
                .doOnTerminate(ended::incrementAndGet)
                .contextWrite(context -> n % 8 == 3 ? context.put("user", "user " + n) : context.put("user", "user " + n)
                        .put("run", "x".repeat(n))), 1_000).then().block(PATIENCE);
        assertThat(answered).hasValue(500);
        assertThat(ended).hasValue(1_000);
        assertThat(seen).allSatisfy((question, user) -> assertThat(user).isEqualTo("user " + question))
                .hasSizeGreaterThanOrEqualTo(750);
        Link.await(() -> working.get() == 0, () -> working + " are worked on");
    }

    @Test
    void shouldTakeTheContextOfEachSubscription() {
        Given given = new Given(context -> Map.of("attempt", context.<AtomicInteger>get("attempts").incrementAndGet() + ""));
        connect(BackendType.TCP, given, given);
        server.respond(TAG, request -> Mono.deferContextual(context -> context.get("read").equals("{attempt=3}")
                ? Mono.just(request) : Mono.error(new IllegalStateException("again")))).subscribe();
        StepVerifier.create(ask("hello").retry(5).contextWrite(Context.of("attempts", new AtomicInteger())))
                .expectNext("hello").expectComplete().verify(PATIENCE);
        assertThat(given.read).containsExactly(Map.of("attempt", "1"), Map.of("attempt", "2"), Map.of("attempt", "3"));
        assertThatThrownBy(() -> given.read.getFirst().put("more", "x")).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldShowPayloadsAsWithoutHeaders(BackendType backend) {
        connect(backend, USER, USER);
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        server.respond(TAG, request -> {
            if (request.position() != 0 || request.arrayOffset() != 0 || request.array().length != request.remaining()
                    || request.isReadOnly()) {
                wrong.add(request.toString());
            }
            return Mono.just(request);
        }).subscribe();
        for (int size : new int[] {0, 1, 1_900, 2_030, 2_048, 9_000}) {
            ByteBuffer payload = ByteBuffer.allocate(size + 3).position(3);
            for (int i = 0; i < size; i++) {
                payload.put(3 + i, (byte) i);
            }
            StepVerifier.create(client.requester(TAG).request(payload).contextWrite(Context.of("user", "ann")))
                    .expectNext(payload.duplicate()).expectComplete().verify(PATIENCE);
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void shouldLeaveOutWhatIsTooLargeWithOneWarningAndSendTheRest() throws Exception {
        Given given = new Given(context -> {
            Map<String, String> headers = new LinkedHashMap<>();
            headers.put("first", "1");
            headers.put("k".repeat(256), "a key that is too long");
            headers.put("large", "x".repeat(4_000)); // 4,008 bytes: 79 are left
            headers.put("larger", "x".repeat(80));
            headers.put("last", "x".repeat(72));
            return headers;
        });
        connect(BackendType.TCP, given, given);
        server.respond(TAG, tell()).subscribe();
        try (Warnings warnings = new Warnings()) {
            for (int i = 0; i < 3; i++) {
                StepVerifier.create(ask("hello")).expectNext("hello").expectComplete().verify(PATIENCE);
            }
            assertThat(warnings.text()).containsOnlyOnce("A header of a request is left out")
                    .contains("has 281 bytes, and a request has 64 headers of 4096 bytes together");
        }
        assertThat(given.read).hasSize(3).allSatisfy(headers ->
                assertThat(headers.keySet()).containsExactly("first", "large", "last"));
    }

    @Test
    void shouldLeaveOutHeadersOfARequestThatIsAsLargeAsCanBe() {
        connect(BackendType.TCP, USER, USER);
        server.respond(TAG, request -> Mono.deferContextual(context -> Mono.just(text(context.getOrDefault("user", "none")))))
                .subscribe();
        Map<Integer, String> expected = Map.of(10_000, "none", 9_999, "none", 9_990, "none", 9_989, "none", 9_988, "ann", 9_000,
                "ann");
        expected.forEach((size, user) -> StepVerifier.create(client.requester(TAG).request(ByteBuffer.allocate(size))
                .map(PropagationTest::text).contextWrite(Context.of("user", "ann"))).expectNext(user).expectComplete()
                .verify(PATIENCE));
    }

    @Test
    void shouldFailWhatAPropagatorThrowsInAndNothingElse() {
        AtomicInteger calls = new AtomicInteger();
        connect(BackendType.TCP, new NetioPropagator() {
            @Override
            public Context read(Map<String, String> headers, Context context) {
                if (headers.containsKey("bad")) {
                    throw new IllegalStateException("not to be read");
                }
                return context;
            }

            @Override
            public Mono<ByteBuffer> aroundRespond(NetioConnection connection, long tag, Map<String, String> headers,
                    Mono<ByteBuffer> answer) {
                if (headers.containsKey("worse")) {
                    throw new IllegalStateException("not to be answered");
                }
                return answer;
            }
        }, new NetioPropagator() {
            @Override
            public void write(ContextView context, BiConsumer<String, String> headers) {
                switch (context.<String>get("what")) {
                    case "throws" -> throw new IllegalStateException("not to be written");
                    case "null" -> headers.accept("key", System.getProperty("no.such.property"));
                    case "empty" -> headers.accept("", "value");
                    default -> headers.accept(context.get("what"), "x");
                }
            }
        });
        server.respond(TAG, 2, request -> {
            calls.incrementAndGet();
            return Mono.just(request);
        }).subscribe();
        Map<String, String> wrong = Map.of("throws", "not to be written", "null", "null as the value of the header key", "empty",
                "a header without a key, with the value value", "bad", "not to be read", "worse", "not to be answered");
        for (int i = 0; i < NetioRequester.MOST_WAITING + 10; i++) { // none of them keeps a place
            wrong.forEach((what, text) -> StepVerifier.create(ask("?").contextWrite(Context.of("what", what)))
                    .expectErrorSatisfies(error -> assertThat(error).hasMessageContaining(text)).verify(PATIENCE));
        }
        StepVerifier.create(ask("!").contextWrite(Context.of("what", "good"))).expectNext("!").expectComplete().verify(PATIENCE);
        assertThat(calls).hasValue(1);
    }

    /** {@code before} sends what is no request as they agreed; the peer is told so, and the connection goes on. */
    private void refused(@Nullable NetioPropagator onServer, int features, byte[] request, String why) throws IOException {
        CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
        DisposableServer listening = with(NetioServer.create().backend(BackendType.TCP).runOn(loops), onServer)
                .doOnConnection(accepted::complete).bindNow();
        try (StreamPeer peer = StreamPeer.withFeatures(listening.port(), features)) {
            NetioConnection connection = accepted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            List<String> asked = Collections.synchronizedList(new ArrayList<>());
            StepVerifier responder = StepVerifier.create(connection.respond(TAG, 4, asking -> {
                asked.add(text(asking));
                return Mono.never();
            })).expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioProtocolException.class)
                    .hasMessageContaining("the requester broke the rules").hasMessageContaining(why)).verifyLater();
            int stream = Integer.parseInt(peer.next(frame -> frame.startsWith("REQUEST ")).split(" ")[1]);
            peer.send(0, 0, page -> page.message(stream, 1, 0, text("good")));
            peer.send(0, 0, page -> page.message(stream, 2, REQUEST_WITH_HEADERS, ByteBuffer.wrap(request)));
            responder.verify(PATIENCE);
            assertThat(peer.next(frame -> frame.startsWith("CANCEL"))).startsWith("CANCEL " + stream);
            assertThat(asked).containsExactly("good");
            peer.send(0, 0, page -> page.ping(5));
            assertThat(peer.next(frame -> frame.startsWith("PONG"))).isEqualTo("PONG 5");
        } finally {
            listening.dispose();
        }
    }

    @Test
    void shouldRefuseHeadersThatAreNone() throws IOException {
        Map<String, byte[]> wrong = Map.of("is cut off: the request has 0 bytes", new byte[0],
                "the request has 1 bytes", new byte[1],
                "65535 bytes of headers; 4096 are allowed, and 1 have arrived", new byte[] {-1, -1, 0},
                "4097 bytes of headers; 4096", ByteBuffer.allocate(900).put(new byte[] {1, 16}).array(),
                "a key of 0 bytes; 0 bytes", new byte[] {1, 0, 0}, "a key of 200 bytes", new byte[] {3, 0, -56, 0, 0},
                "a value of 65535 bytes; 0 bytes of headers are left", new byte[] {4, 0, 1, 'a', -1, -1},
                "the header a twice", new byte[] {8, 0, 1, 'a', 0, 0, 1, 'a', 0, 0},
                "is not UTF-8", new byte[] {4, 0, 1, -128, 0, 0},
                "the header netio-timeout of a request is no time: 1s", "\22\0\15netio-timeout\2\0001s".getBytes(US_ASCII));
        for (Map.Entry<String, byte[]> each : wrong.entrySet()) {
            refused(USER, Handshake.REQUEST_HEADERS, each.getValue(), each.getKey());
        }
    }

    @Test
    void shouldRefuseHeadersThatWereNotAgreedOn() throws IOException {
        refused(USER, 0, new byte[] {0, 0, 'x'}, "a request with status 6");
    }

    @Test
    void shouldReadRequestsThatCouldHaveLeftTheirHeadersOut() throws IOException {
        CompletableFuture<String> asked = new CompletableFuture<>();
        DisposableServer listening = NetioServer.create().backend(BackendType.TCP).runOn(loops).propagation(USER)
                .doOnConnection(connection -> connection.respond(TAG, request -> {
                    asked.complete(text(request));
                    return Mono.never();
                }).subscribe()).bindNow();
        try (StreamPeer peer = StreamPeer.withFeatures(listening.port(), Handshake.REQUEST_HEADERS | 0x40000000)) {
            int stream = Integer.parseInt(peer.next(frame -> frame.startsWith("REQUEST ")).split(" ")[1]);
            peer.send(0, 0, page -> page.message(stream, 1, 6, ByteBuffer.wrap(new byte[] {0, 0, 'x'})));
            assertThat(asked.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()).isEqualTo("x");
        } finally {
            listening.dispose();
        }
    }

    @Test
    void shouldNotTakeThePeersRequestsWithHeadersForAnswers() {
        connect(BackendType.TCP, USER, USER);
        Mono<Void> theirs = Flux.range(0, 3).flatMap(n -> server.requester(TAG).request(text("from the server"))).then();
        Mono<Void> ours = Flux.range(0, 3).flatMap(n -> client.requester(TAG).request(text("from the client"))).then();
        StepVerifier.create(Mono.firstWithSignal(ours, theirs).contextWrite(Context.of("user", "ann")))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(NetioStreamException.class)
                        .hasMessageContaining("both sides have a requester of it")).verify(PATIENCE);
    }

    @Test
    void shouldCallPropagatorsInTheirOrderTheFirstAroundTheOthers() {
        List<String> calls = Collections.synchronizedList(new ArrayList<>());
        connect(BackendType.TCP, s -> s.propagation(new Named("a", calls)).propagation(new Named("b", calls)),
                c -> c.propagation(new Named("c", calls)).propagation(new Named("d", calls)));
        server.respond(TAG, request -> Mono.deferContextual(context -> {
            calls.add("answer " + context.get("reads") + " " + context.get("arounds"));
            return Mono.just(request);
        })).subscribe();
        assertThat(calls).containsExactly("connect c", "connect d");
        calls.clear();
        StepVerifier.create(ask("?")).expectNext("?").expectComplete().verify(PATIENCE);
        assertThat(calls).containsExactly("request c", "request d", "write c cd", "write d cd", "read a", "read b", "respond a",
                "respond b", "answer ab ab");
    }

    /** Says what it is called for, and adds its name to what is in the Context. */
    private record Named(String name, List<String> calls) implements NetioPropagator {
        private static Context add(Context context, String key, String name) {
            return context.put(key, context.getOrDefault(key, "") + name);
        }

        private <T> Mono<T> around(String what, Mono<T> inner) {
            return Mono.defer(() -> {
                calls.add(what + " " + name);
                return inner;
            }).contextWrite(context -> add(context, "arounds", name));
        }

        @Override
        public void write(ContextView context, BiConsumer<String, String> headers) {
            calls.add("write " + name + " " + context.get("arounds"));
        }

        @Override
        public Context read(Map<String, String> headers, Context context) {
            calls.add("read " + name);
            return add(context, "reads", name);
        }

        @Override
        public Mono<NetioConnection> aroundConnect(SocketAddress peer, Mono<NetioConnection> connecting) {
            return around("connect", connecting);
        }

        @Override
        public Mono<ByteBuffer> aroundRequest(NetioConnection connection, long tag, Mono<ByteBuffer> answer) {
            assertThat(tag).isEqualTo(TAG);
            return around("request", answer);
        }

        @Override
        public Mono<ByteBuffer> aroundRespond(NetioConnection connection, long tag, Map<String, String> headers,
                Mono<ByteBuffer> answer) {
            assertThat(tag).isEqualTo(TAG);
            return around("respond", answer);
        }
    }

    @Test
    void shouldLeaveEverythingAsItIsWithoutAPropagator() {
        connect(BackendType.TCP, (NetioPropagator) null, null);
        Mono<ByteBuffer> answer = Mono.never();
        Flux<ByteBuffer> messages = Flux.never();
        Mono<NetioConnection> connecting = Mono.never();
        assertThat(Propagation.NONE.request(client, TAG, answer)).isSameAs(answer);
        assertThat(Propagation.NONE.subscribe(client, "7", messages)).isSameAs(messages);
        assertThat(Propagation.NONE.connect(client.remoteAddress(), connecting)).isSameAs(connecting);
        assertThat(DefaultConnection.of(client).propagation()).isSameAs(Propagation.NONE);
    }

    /** What a wrong propagator says of a connection fails that attempt, and the next is another. */
    @Test
    void shouldFailAnAttemptToConnectThatAPropagatorThrowsIn() {
        AtomicInteger attempts = new AtomicInteger();
        connect(BackendType.TCP, null, new NetioPropagator() {
            @Override
            public Mono<NetioConnection> aroundConnect(SocketAddress peer, Mono<NetioConnection> connecting) {
                return Mono.defer(() -> attempts.getAndIncrement() == 0 ? Mono.error(new IllegalStateException("not yet"))
                        : connecting).retry(1);
            }
        });
        assertThat(attempts).hasValue(2);
    }

    @Test
    void shouldRefuseKeysThatCannotBe() {
        assertThatThrownBy(() -> NetioPropagator.ofKeys()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one key");
        assertThatThrownBy(() -> NetioPropagator.ofKeys("user", "")).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no empty one: [user, ]");
        assertThat(USER).hasToString("propagator of [user, run]");
    }
}
