// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static io.reactivenetio.connection.StreamUnderTest.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.StreamUnderTest;
import io.reactivenetio.transport.SendCompletion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Sends that are made where another one is told its end: on the connection (tag 0 here), on a stream, and on one that the peer
 * has
 * not subscribed to, while there is no credit for data and while there is.
 */
@Timeout(60)
class NestedEndsTest {
    private static final int NOT_SUBSCRIBED = 8;
    private static final int TRIES = 100_000;
    private static final int FEW = 10_000;

    private final StreamUnderTest connection = new StreamUnderTest(1, 10);
    private int pongs;

    @AfterEach
    void close() {
        connection.close();
    }

    private Mono<Void> send(int tag, Flux<ByteBuffer> messages, SendCompletion level) {
        return tag == 0 ? connection.session().send(messages, level) : connection.session().send(tag, messages, level);
    }

    /** The peer wants messages, and holds the only page for them if there is to be no credit. */
    private void open(int tag, boolean credit) {
        if (!credit) {
            send(1, Flux.just(ByteBuffer.allocate(1)), SendCompletion.DELIVERED).subscribe();
            connection.receive(0, 0, page -> subscribe(page, 1, 1, 1));
        }
        connection.receive(0, 0, page -> {
            if (tag == 0) {
                page.request(0, 100);
            } else if (tag != NOT_SUBSCRIBED) {
                subscribe(page, 2, tag, 100);
            }
        });
    }

    /** The peer answers all there is to be answered, and says so until nothing more comes. */
    private void answer() {
        List<String> frames = new ArrayList<>();
        do {
            frames.clear();
            frames.addAll(connection.sent());
            int pings = pongs + (int) frames.stream().filter(frame -> frame.startsWith("PING")).count();
            connection.complete();
            if (pings > pongs) {
                pongs = pings;
                connection.receive(0, connection.controlsOut(), page -> page.pong(pings));
            }
        } while (!frames.isEmpty());
    }

    private void assertDone(Mono<Void> sends) {
        CompletableFuture<Void> done = sends.toFuture();
        connection.turn();
        answer();
        assertThat(done).isCompleted();
        assertThat(connection.failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, NOT_SUBSCRIBED})
    void shouldEndASendThatFollowsOnOneWithoutMessages(int tag) {
        open(tag, false);
        for (SendCompletion level : SendCompletion.values()) {
            Mono<Void> nothing = send(tag, Flux.empty(), level);
            assertDone(nothing.then(nothing).then(nothing));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, NOT_SUBSCRIBED})
    void shouldEndASendThatIsTriedAgain(int tag) {
        open(tag, false);
        AtomicInteger tries = new AtomicInteger();
        IllegalStateException error = new IllegalStateException("of a test");
        Mono<Void> failing = send(tag, Flux.defer(() -> switch (tries.incrementAndGet()) {
            case 1 -> Flux.create(sink -> connection.loop().execute(() -> sink.error(error))); // where nobody subscribes
            case 2, 3 -> Flux.error(error);
            default -> Flux.empty();
        }), SendCompletion.DELIVERED);
        assertDone(failing.retry(3));
        assertThat(tries).hasValue(4);
    }

    private void assertTheLoopGoesOn(Flux<Void> endless, AtomicInteger tries) {
        CompletableFuture<Void> other = new CompletableFuture<>();
        Disposable trying = endless.subscribe(nothing -> { }, error -> { });
        connection.loop().execute(() -> other.complete(null));
        connection.turn();
        assertThat(tries.get()).isBetween(2, FEW);
        assertThat(other).isDone();
        trying.dispose();
        connection.turn();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, NOT_SUBSCRIBED})
    void shouldGoOnBesideASendThatFailsOrHasNothingForEver(int tag) {
        open(tag, true);
        for (Flux<ByteBuffer> messages : List.<Flux<ByteBuffer>>of(Flux.empty(),
                Flux.error(new IllegalStateException("of a test")))) {
            AtomicInteger tries = new AtomicInteger();
            Flux<Void> endless = Flux.defer(() -> {
                tries.incrementAndGet();
                return send(tag, messages, SendCompletion.TRANSMITTED);
            });
            assertTheLoopGoesOn(endless.repeat(TRIES).retry(TRIES), tries);
        }
        assertThat(connection.failures).isEmpty();
    }
}
