// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.wire.Handshake;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Responders and requesters that are not this library's, or of another version. */
@Timeout(180)
class ForeignResponderTest {
    private static final long TAG = 7;

    private final NetioLoops loops = NetioLoops.create("old", 1);
    private final CompletableFuture<NetioConnection> accepted = new CompletableFuture<>();
    private final List<RequestOutcome> outcomes = Collections.synchronizedList(new ArrayList<>());
    private final NetioMetrics metrics = new NetioMetrics();
    private final int port = NetioServer.create().backend(BackendType.TCP).runOn(loops)
            .metrics(metrics)
            .doOnConnection(accepted::complete).bindNow().port();

    ForeignResponderTest() {
        metrics.addListener((side, outcome, nanos) -> outcomes.add(outcome));
    }

    @AfterEach
    void stop() {
        loops.dispose();
    }

    /** Is asked with {@code timeout}, and takes requests. */
    private StepVerifier asked(StreamPeer peer, Duration timeout) throws Exception {
        NetioConnection asking = accepted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        StepVerifier late = StepVerifier.create(asking.requester(TAG).request(ByteBuffer.allocate(5), timeout))
                .expectError(TimeoutException.class).verifyLater();
        peer.send(0, 0, page -> {
            page.subscribe(2, Tags.of(TAG), null);
            page.request(2, 8);
        });
        return late;
    }

    @Test
    void shouldBeToldOfTheCancelOnlyIfTheyReadNoHeaders() throws Exception {
        try (StreamPeer peer = StreamPeer.withFeatures(port, 0)) {
            StepVerifier late = asked(peer, Duration.ofMillis(300));
            assertThat(peer.next(frame -> frame.startsWith("DATA"))).isEqualTo("DATA 2 5");
            late.verify(PATIENCE);
            assertThat(peer.next(frame -> frame.startsWith("DATA"))).isEqualTo("DATA 2 0");
            assertThat(outcomes).containsExactly(RequestOutcome.CANCELLED);
        }
    }

    /** The clock of one side may be faster than that of the other. */
    @Test
    void shouldBeBelievedThatADeadlineIsOver() throws Exception {
        try (StreamPeer peer = StreamPeer.withFeatures(port, Handshake.REQUEST_HEADERS)) {
            StepVerifier late = asked(peer, Duration.ofHours(1));
            int answers = Integer.parseInt(peer.next(frame -> frame.startsWith("SUBSCRIBE ")).split(" ")[1]);
            assertThat(peer.next(frame -> frame.startsWith("DATA"))).isEqualTo("DATA 2 " + (2 + 1 + 13 + 2 + 19 + 5));
            peer.send(0, 0, page -> page.message(answers, 0, 5, ByteBuffer.allocate(0)));
            late.verify(PATIENCE);
            assertThat(outcomes).containsExactly(RequestOutcome.CANCELLED);
        }
    }

    /** The answers to those that were cancelled wait for demand, so they are not sent when the next request comes. */
    @Test
    void shouldTakeRequestsInPlaceOfThoseThatWereCancelled() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        try (StreamPeer peer = StreamPeer.withFeatures(port, 0)) {
            accepted.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()
                    .respond(TAG, 2, request -> Mono.<ByteBuffer>never().doOnSubscribe(s -> begun.incrementAndGet()))
                    .subscribe(nothing -> { }, failed::set);
            int requests = Integer.parseInt(peer.next(frame -> frame.startsWith("SUBSCRIBE ")).split(" ")[1]);
            peer.next(frame -> frame.equals("REQUEST " + requests + " 4"));
            peer.send(0, 0, page -> {
                page.subscribe(2, Tags.of(TAG), null);
                for (int status = 0; status < 2; status++) { // two requests, and their cancels
                    page.message(requests, 10, status, ByteBuffer.allocate(0));
                    page.message(requests, 11, status, ByteBuffer.allocate(0));
                }
            });
            int more = 0;
            while (more < 2) { // demand for one request, and for its cancel
                more += Integer.parseInt(peer.next(frame -> frame.startsWith("REQUEST " + requests)).split(" ")[2]);
            }
            peer.send(0, 0, page -> page.message(requests, 12, 0, ByteBuffer.allocate(0)));
            Eventually.await("the third request", () -> begun.get() == 3 || failed.get() != null);
            assertThat(failed.get()).isNull();
            peer.send(0, 0, page -> page.request(2, 8));
            assertThat(peer.next(frame -> frame.startsWith("DATA"))).isEqualTo("DATA 2 0");
        }
    }
}
