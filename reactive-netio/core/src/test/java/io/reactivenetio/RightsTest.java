// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.AccessRule;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.api.Right;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Nobody is shown a message of a tag, or heard on it, who has no right to it. */
@Timeout(60)
class RightsTest extends TwoEnds {
    private static final byte[] SECRET = new byte[32];
    private static final Duration SHORT = Duration.ofMillis(200);

    private void connect(NetioAuthorizer authorizer) {
        connect(authorizer, server -> server);
    }

    private void connect(NetioAuthorizer authorizer, UnaryOperator<NetioServer> more) {
        connect(BackendType.TCP, listening -> more.apply(listening.authorize(authorizer)
                .authenticate(NetioAuthenticator.secrets(Map.of("reader", SECRET)))),
                connecting -> connecting.credentials(NetioCredentials.secret("reader", SECRET)));
    }

    private static NetioAuthorizer only(Tags tags, Right... rights) {
        return NetioAuthorizer.of(List.of(new AccessRule("somebody else", Tags.masked(0, 0), Set.of(Right.values())),
                new AccessRule("reader", tags, Set.of(rights))));
    }

    private static void assertForbidden(Mono<?> what, String words) {
        assertThatThrownBy(() -> what.block(PATIENCE)).isInstanceOf(NetioStreamException.class)
                .hasMessageContaining(words)
                .satisfies(error -> assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.FORBIDDEN));
    }

    private static ByteBuffer message(int value) {
        return ByteBuffer.allocate(4).putInt(0, value);
    }

    @Test
    void shouldServeOnlyWhatThePeerMaySubscribeTo() {
        AtomicInteger asked = new AtomicInteger();
        NetioPublisher publisher = NetioPublisher.create()
                .publish(7, Flux.range(0, 10).map(RightsTest::message))
                .publish(8, Flux.range(0, 10).map(RightsTest::message).doOnSubscribe(s -> asked.incrementAndGet()));
        connect(only(Tags.range(0, 7), Right.SUBSCRIBE), publisher::serve);
        assertThat(client.stream(7).receive().count().block(PATIENCE)).isEqualTo(10);
        assertForbidden(client.stream(8).receive().then(), "no right to SUBSCRIBE tag 8");
        assertForbidden(client.stream(9).receive().then(), "no right to SUBSCRIBE tag 9"); // there is none, which it is not told
        assertThat(asked).hasValue(0);
    }

    @Test
    void shouldRefuseAPatternThatIsWiderThanTheRight() {
        Sinks.Many<ByteBuffer> hits = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create().publish(7, hits.asFlux());
        DisposableServer listening = publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops)
                .authorize(only(Tags.masked(0, ~0xfL), Right.SUBSCRIBE))
                .authenticate(NetioAuthenticator.secrets(Map.of("reader", SECRET)))).bindNow(PATIENCE);
        NetioSubscriber all = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(loops)
                .port(listening.port()).credentials(NetioCredentials.secret("reader", SECRET)));
        assertForbidden(all.subscribe(Tags.range(0, 16)).then(), "no right to SUBSCRIBE tags 0 to 16");
        assertForbidden(all.subscribe(Tags.masked(0, 0)).then(), "no right to SUBSCRIBE");
        Mono<?> first = all.subscribe(Tags.range(3, 15)).next().doOnNext(any -> { }).cache();
        first.subscribe();
        Link.await(() -> hits.tryEmitNext(message(1)).isSuccess(), () -> "nobody subscribed");
        assertThat(first.block(PATIENCE)).isNotNull();
        listening.disposeNow();
    }

    @Test
    void shouldSendToStreamsOnlyWhatThePeerMayHave() {
        connect(only(Tags.of(7), Right.SUBSCRIBE));
        server.stream(7).send(Flux.range(0, 3).map(RightsTest::message)).subscribe();
        server.stream(8).send(Flux.range(0, 3).map(RightsTest::message)).subscribe(done -> { }, error -> { });
        assertThat(client.stream(7).receive().take(3).count().block(PATIENCE)).isEqualTo(3);
        assertForbidden(client.stream(8).receive().then(), "no right to SUBSCRIBE tag 8");
    }

    @Test
    void shouldReceiveOnlyWhatThePeerMaySend() {
        connect(only(Tags.of(7), Right.SEND));
        client.stream(7).send(Flux.range(0, 3).map(RightsTest::message)).then(client.stream(7).completeOutbound()).subscribe();
        client.stream(8).send(Flux.range(0, 3).map(RightsTest::message)).subscribe(done -> { }, error -> { });
        assertThat(server.stream(7).receive().count().block(PATIENCE)).isEqualTo(3);
        assertForbidden(server.stream(8).receive().then(), "the peer has no right to SEND tag 8");
    }

    @Test
    void shouldAnswerOnlyThoseWhoMayAsk() {
        connect(only(Tags.of(7), Right.REQUEST));
        AtomicInteger answered = new AtomicInteger();
        Mono<Void> good = server.respond(7, request -> Mono.just(message(answered.incrementAndGet())));
        good.subscribe();
        Mono<Void> bad = server.respond(8, request -> Mono.just(message(answered.addAndGet(1_000)))).cache();
        bad.subscribe();
        assertThat(client.requester(7).request(message(0)).block(PATIENCE)).isNotNull();
        assertForbidden(client.requester(8).request(message(0)), "no right to REQUEST tag 8");
        assertThatThrownBy(() -> bad.block(SHORT)).hasMessageContaining("Timeout"); // it waits for others
        assertThat(answered).hasValue(1);
        client.dispose();
        bad.onErrorComplete().block(PATIENCE);
    }

    @Test
    void shouldWaitForAResponderThatComesLater() {
        connect(only(Tags.of(7), Right.REQUEST));
        Mono<ByteBuffer> asked = client.requester(7).request(message(3)).cache();
        asked.subscribe(answer -> { }, error -> { });
        assertThatThrownBy(() -> asked.block(SHORT)).hasMessageContaining("Timeout");
        server.stream(7).send(Flux.range(0, 3).map(RightsTest::message)).subscribe(done -> { }, error -> { }); // not for it
        server.respond(7, request -> Mono.just(request)).subscribe();
        ByteBuffer answer = asked.block(PATIENCE);
        assertThat(answer).isNotNull();
        assertThat(answer.getInt(0)).isEqualTo(3);
    }

    @Test
    void shouldForgetThoseWhoWaitedForAResponder() {
        connect(only(Tags.range(0, 9_999), Right.REQUEST));
        for (int i = 0; i < 5_000; i++) { // more than the streams of a connection
            long tag = i;
            client.stream(tag).receive().subscribe(message -> { }, error -> { }).dispose();
        }
        Mono<ByteBuffer> first = client.requester(7).request(message(1)).cache();
        first.subscribe(answer -> { }, error -> { });
        assertThatThrownBy(() -> first.block(SHORT)).hasMessageContaining("Timeout");
        server.respond(7, request -> Mono.just(request)).subscribe(done -> { }, error -> { });
        assertThat(first.block(PATIENCE)).isNotNull();
        assertForbidden(client.stream(10_000).receive().then(), "no right to SUBSCRIBE tag 10000");
    }

    @Test
    void shouldNotWaitForEverForAResponder() {
        connect(only(Tags.of(7), Right.REQUEST), server -> server.framing(Framing.stream()
                .serveTimeout(Duration.ofMillis(100))));
        assertThatThrownBy(() -> client.requester(7).request(message(0)).block(PATIENCE))
                .isInstanceOf(NetioStreamException.class)
                .satisfies(error -> assertThat(((NetioStreamException) error).error()).isEqualTo(StreamError.NOT_SERVED));
    }

    @Test
    void shouldAskOnlyThoseWhoMayRespond() {
        connect(only(Tags.of(7), Right.RESPOND));
        client.respond(7, request -> Mono.just(request)).subscribe(done -> { }, error -> { });
        client.respond(8, request -> Mono.just(request)).subscribe(done -> { }, error -> { });
        assertThat(server.requester(7).request(message(0)).block(PATIENCE)).isNotNull();
        assertForbidden(server.requester(8).request(message(0)), "the peer has no right to RESPOND tag 8");
    }

    @Test
    void shouldTakeWhatAnAuthorizerThrowsForARefusal() {
        connect((peer, right, tags) -> {
            throw new IllegalStateException("no rules today");
        });
        assertForbidden(client.stream(7).receive().then(), "no right to SUBSCRIBE tag 7");
        assertThat(client.isDisposed()).isFalse();
        assertThat(server.isDisposed()).isFalse();
    }

    @Test
    void shouldTellTheAuthorizerWhoAsks() {
        connect((peer, right, tags) -> peer != null && peer.getName().equals("reader") && tags.equals(Tags.of(7)));
        assertThat(server.principal()).hasToString("reader");
        server.stream(7).send(Mono.just(message(1))).subscribe();
        assertThat(client.stream(7).receive().next().block(PATIENCE)).isNotNull();
    }

    @Test
    void shouldGrantNothingWithoutARule() {
        connect(NetioAuthorizer.of(List.of()));
        for (Right right : Right.values()) {
            assertThat(NetioAuthorizer.of(List.of()).may(null, right, Tags.of(1))).isFalse();
        }
        assertForbidden(client.stream(7).receive().then(), "no right");
        NetioAuthorizer anybody = NetioAuthorizer.of(List.of(new AccessRule(AccessRule.ANYBODY, Tags.of(1),
                Set.of(Right.SEND))));
        assertThat(anybody.may(null, Right.SEND, Tags.of(1))).isTrue();
        assertThat(anybody.may(server.principal(), Right.SEND, Tags.of(1))).isTrue();
        assertThat(anybody.may(null, Right.SUBSCRIBE, Tags.of(1))).isFalse();
        assertThatThrownBy(() -> new AccessRule(" ", Tags.of(1), Set.of(Right.SEND))).hasMessageContaining("for nobody");
        assertThatThrownBy(() -> new AccessRule("a", Tags.of(1), Set.of())).hasMessageContaining("grants nothing");
    }

    /** Unlike the streams of tags, those of the connection itself are the program's own affair. */
    @Test
    void shouldLeaveTheConnectionItselfToTheProgram() {
        connect(NetioAuthorizer.of(List.of()));
        NetioConnection here = server;
        here.send(Mono.just(message(1))).subscribe();
        assertThat(client.receive().next().block(PATIENCE)).isNotNull();
    }
}
