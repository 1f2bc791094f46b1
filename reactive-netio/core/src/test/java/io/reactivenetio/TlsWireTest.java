// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.FaultyProxy.Fault;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What becomes of bytes that are changed or missing on a connection with TLS. */
@Timeout(120)
class TlsWireTest extends SecuredEnds {
    /** How many are changed, one for each connection. */
    private static final int BYTES = 2_500;

    /** The offset behind the handshake is beyond 3,000 bytes for both sides; before, it depends on the keys. */
    @ParameterizedTest
    @CsvSource({"CUT,true", "CUT,false", "CORRUPT,true", "CORRUPT,false"})
    void shouldShowNothingThatWasChangedOrCutOff(Fault fault, boolean towardsServer) throws Exception {
        for (long at : new long[] {0, 3, 60, 90, 120, 200, 500, 900, 1_300, 2_000, 3_500, 40_000, 70_000, 100_001}) {
            assertThat(isNoticed(fault, towardsServer, at)).as("%s at %d", fault, at).isTrue();
        }
    }

    /**
     * The whole handshake, and the first messages. The JDK ignores the version in the headers of records, as RFC 8446 has it
     * (section 5.1): whoever changes these two bytes of a record changes nothing.
     */
    @AtFullScale
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(900)
    void shouldShowNothingWhicheverByteWasChanged(boolean towardsServer) throws Exception {
        Queue<Long> unnoticed = new ConcurrentLinkedQueue<>();
        Semaphore atOnce = new Semaphore(16);
        try (ExecutorService attackers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> attacks = new ArrayList<>();
            for (long i = 0; i < BYTES; i++) {
                long at = i;
                attacks.add(attackers.submit(() -> {
                    atOnce.acquire();
                    try {
                        if (!isNoticed(Fault.CORRUPT, towardsServer, at)) {
                            unnoticed.add(at);
                        }
                    } finally {
                        atOnce.release();
                    }
                    return null;
                }));
            }
            for (Future<?> attack : attacks) {
                attack.get();
            }
        }
        assertThat(unnoticed).as("offsets").hasSizeLessThan(BYTES / 60);
    }

    /** Whether the connection fails. What is shown is right in any case, and all of it if the connection goes on. */
    private boolean isNoticed(Fault fault, boolean towardsServer, long at) throws Exception {
        Framing raw = Framing.raw().endSignal(EndSignal.PEER_CLOSE);
        CompletableFuture<NetioConnection> accepting = new CompletableFuture<>();
        DisposableServer server = server().secure(as(TestCertificates.local())).framing(raw).connectTimeout(Duration.ofSeconds(1))
                .doOnConnection(accepting::complete).bindNow(PATIENCE);
        try (FaultyProxy proxy = new FaultyProxy(new InetSocketAddress("127.0.0.1", server.port()), fault, towardsServer, at)) {
            NetioConnection client;
            try {
                client = client(server).port(proxy.port()).framing(raw).secure(trusting(TestCertificates.local()))
                        .connectTimeout(Duration.ofSeconds(1)).connectNow(PATIENCE);
            } catch (NetioException expected) {
                return true; // in the handshake
            }
            Mono<?> ended = client.onDispose().onErrorComplete().then(Mono.delay(Duration.ofMillis(100)));
            NetioConnection other = Mono.fromFuture(accepting).takeUntilOther(ended).block(PATIENCE);
            if (other == null) { // the client's own greeting was changed, when it had that of the server
                return true;
            }
            NetioConnection from = towardsServer ? client : other;
            NetioConnection to = towardsServer ? other : client;
            Queue<Integer> shown = new ConcurrentLinkedQueue<>();
            CompletableFuture<Long> end = to.receive(buffer -> buffer.getInt(0)).doOnNext(shown::add).count().toFuture();
            if (isSent(from)) {
                from.dispose(); // with PEER_CLOSE a good end
            }
            Throwable failed = end.<Throwable>handle((count, failure) -> failure).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(shown).as("%s at %d", fault, at).containsExactlyElementsOf(numbers(shown.size()));
            assertThat(failed != null || shown.size() == 200).as("%s at %d: %s", fault, at, shown.size()).isTrue();
            from.dispose();
            to.dispose();
            return failed != null;
        } finally {
            server.dispose();
        }
    }

    private static boolean isSent(NetioConnection from) {
        return Boolean.TRUE.equals(from.send(Flux.range(0, 200).map(n -> message(n, 1_000))).thenReturn(true)
                .onErrorReturn(false).block(PATIENCE));
    }

    private static List<Integer> numbers(int number) {
        return IntStream.range(0, number).boxed().toList();
    }
}
