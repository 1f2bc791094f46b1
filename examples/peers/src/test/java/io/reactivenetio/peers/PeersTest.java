// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each of them brings all messages, in order, with both ends in one process. */
@Timeout(180)
class PeersTest {
    private static final int SIZE = 100;
    private static final long WARMUP_MILLIS = 20;
    private static final long MILLIS = 40;

    static Stream<Peer> streams() {
        return Stream.concat(Peers.streams().values().stream(), Peers.sealed().values().stream()
                .filter(peer -> peer.title().contains("TLS")));
    }

    static Stream<Peer> trips() {
        return Peers.trips().values().stream();
    }

    static Stream<Peer> spinners() {
        return trips().filter(Peer::spins);
    }

    private static Work work(Mode mode, int inFlight) {
        return new Work(mode, SIZE, inFlight, Waiting.SLEEP, WARMUP_MILLIS, MILLIS, "tcp");
    }

    @ParameterizedTest
    @MethodSource("streams")
    void shouldBringWhatWasSent(Peer peer) throws Exception {
        assumeTrue(peer.missing() == null, peer::missing);
        Ends ends = run(peer, work(Mode.STREAM, 64));
        assertThat(ends.listened().total()).isPositive().isEqualTo(ends.connected().total());
    }

    /** All of them behind Reactor Netty and behind this library, which is enough of one backend. */
    static Stream<Peer> pipelines() {
        return Stream.of(Pipeline.values()).filter(pipeline -> pipeline != Pipeline.BUFFER_TIMEOUT_CONCAT_MAP) // may overflow
                .flatMap(pipeline -> Stream.of(new PipelinePeer(pipeline, null), new PipelinePeer(pipeline, Via.TCP)));
    }

    @ParameterizedTest
    @MethodSource("pipelines")
    void shouldBringAllThroughAPipeline(PipelinePeer peer) throws Exception {
        assertThat(PipelinePeer.parse(peer.word())).isEqualTo(peer);
        Ends ends = run(peer, work(Mode.STREAM, 64));
        assertThat(ends.listened().total()).isPositive().isEqualTo(ends.connected().total());
    }

    @ParameterizedTest
    @MethodSource("trips")
    void shouldAnswerWhatWasAsked(Peer peer) throws Exception {
        assumeTrue(peer.missing() == null, peer::missing);
        for (int atOnce : new int[] {1, 64}) {
            Ends ends = run(peer, work(Mode.ROUNDTRIP, atOnce));
            assertThat(ends.connected().total()).isPositive().isEqualTo(ends.listened().total());
            assertThat(ends.connected().p50()).isPositive();
            assertThat(ends.connected().p999()).isGreaterThanOrEqualTo(ends.connected().p99());
        }
    }

    @ParameterizedTest
    @MethodSource("spinners")
    void shouldSpinWhereItCan(Peer peer) throws Exception {
        assumeTrue(peer.missing() == null, peer::missing);
        Work work = new Work(Mode.ROUNDTRIP, SIZE, 1, Waiting.SPIN, WARMUP_MILLIS, MILLIS, "tcp");
        assertThat(run(peer, work).connected().total()).isPositive();
    }

    record Ends(Outcome listened, Outcome connected) {
    }

    static Ends run(Peer peer, Work work) throws Exception {
        CompletableFuture<Integer> port = new CompletableFuture<>();
        CompletableFuture<Outcome> listened = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                listened.complete(peer.listen(work, port::complete));
            } catch (Throwable t) {
                port.completeExceptionally(t);
                listened.completeExceptionally(t);
            }
        });
        Outcome connected = peer.connect(work, port.get(60, TimeUnit.SECONDS));
        return new Ends(listened.get(60, TimeUnit.SECONDS), connected);
    }
}
