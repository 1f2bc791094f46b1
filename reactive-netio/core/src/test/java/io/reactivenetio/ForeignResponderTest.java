// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.api.Tags;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.test.StepVerifier;

/** Responders that are not this library's, or of another version, and requests with a deadline. */
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
}
