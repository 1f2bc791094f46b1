// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import static io.reactivenetio.test.Messages.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Framing;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.test.NetioTestPair.Builder;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** What a pair that is closed finds, and that it leaves nothing itself. */
@Timeout(180)
class LeakTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static Stream<Builder> grounds() {
        return Stream.of(NetioTestPair.builder().inMemory(), NetioTestPair.builder().loopback(),
                NetioTestPair.builder().loopback().faults());
    }

    @ParameterizedTest
    @MethodSource("grounds")
    void shouldFindALeaseThatIsNotGivenBack(Builder ground) {
        NetioTestPair pair = ground.closeTimeout(Duration.ofMillis(300)).open();
        pair.server().send(numbers(1, 2)).subscribe(nothing -> { }, error -> { });
        Lease lease = pair.client().receiveLeased().blockFirst(PATIENCE);
        assertThatThrownBy(pair::close).isInstanceOf(AssertionError.class).hasMessageContaining("the client's connection with")
                .hasMessageContaining("has 1 buffer with leases that nobody has given back");
        lease.release(); // outlives it
        pair.close();
    }

    @ParameterizedTest
    @MethodSource("grounds")
    void shouldFindAConnectionThatIsOpen(Builder ground) throws InterruptedException {
        CountDownLatch accepted = new CountDownLatch(2); // a server that is disposed of closes those it has not accepted yet
        NetioTestPair pair = ground.configure(server -> server.doOnConnection(one -> accepted.countDown()), client -> client)
                .closeTimeout(Duration.ofMillis(300)).open();
        NetioConnection forgotten = pair.newClient().connectNow();
        assertThat(accepted.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(pair::close).isInstanceOf(AssertionError.class)
                .hasMessageContaining("the client's " + forgotten + " is still open");
        forgotten.onDispose().block(PATIENCE);
    }

    @ParameterizedTest
    @MethodSource("grounds")
    void shouldWaitForWhatIsAboutToEnd(Builder ground) {
        for (int i = 0; i < 20; i++) {
            try (NetioTestPair pair = ground.configure(server -> server.handle((in, out) -> in.receive().then()),
                    client -> client).open()) {
                pair.newClient().connectNow().dispose();
                NetioConnection complete = pair.newClient().connectNow();
                complete.send(numbers(1, 100)).then(complete.completeOutbound()).subscribe(nothing -> { }, error -> { });
            }
        }
    }

    @ParameterizedTest
    @MethodSource("grounds")
    void shouldTellWhatLoopsHaveReported(Builder ground) {
        NetioTestPair pair = ground.open();
        CountDownLatch thrown = new CountDownLatch(1);
        pair.server().scheduler().schedule(thrown::countDown);
        RuntimeException wrong = new IllegalStateException("a test's own");
        io.reactivenetio.lifecycle.DefaultConnection.of(pair.client()).engine().loop().execute(() -> {
            throw wrong;
        });
        assertThatThrownBy(pair::close).isInstanceOf(AssertionError.class).hasMessageContaining("a loop has reported "
                + "java.lang.IllegalStateException: a test's own").satisfies(all ->
                assertThat(all.getSuppressed()).containsExactly(wrong));
    }

    @Test
    void shouldForgetErrorsThatWereTaken() {
        try (NetioTestPair pair = NetioTestPair.inMemory()) {
            io.reactivenetio.lifecycle.DefaultConnection.of(pair.client()).engine().loop().execute(() -> {
                throw new IllegalStateException("expected");
            });
            assertThat(pair.takeErrors()).hasSize(1);
            assertThat(pair.takeErrors()).isEmpty();
        }
    }

    @Test
    void shouldNotWaitForACallbackThatDoesNotReturn() throws InterruptedException {
        NetioTestPair pair = NetioTestPair.builder().loopback().closeTimeout(Duration.ofMillis(300)).open();
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        pair.client().scheduler().schedule(() -> {
            waiting.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        waiting.await();
        long began = System.nanoTime();
        assertThatThrownBy(pair::close).isInstanceOf(AssertionError.class).hasMessageContaining("the loops do not end");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        end.countDown();
    }

    @ParameterizedTest
    @MethodSource("grounds")
    void shouldLeaveNothingOfPairsThatCannotConnect(Builder ground) throws Exception {
        Builder wrong = ground.configure(server -> server.framing(Framing.raw()), client -> client);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(wrong::open).isInstanceOf(NetioException.class);
        }
        int before = descriptors();
        for (int i = 0; i < 30; i++) {
            assertThatThrownBy(wrong::open).isInstanceOf(NetioException.class);
        }
        assertThat(eventually(before)).isLessThanOrEqualTo(before);
    }

    @ParameterizedTest
    @MethodSource("grounds")
    void shouldLeaveNothingOfTwoHundredPairs(Builder ground) throws Exception {
        use(ground, 20);
        int descriptors = descriptors();
        List<String> threads = threads();
        use(ground, 200);
        assertThat(eventually(descriptors)).isLessThanOrEqualTo(descriptors);
        Eventually.within(Duration.ofSeconds(60), () -> threads().size() <= threads.size()); // idle workers end after ten seconds
        assertThat(threads()).hasSizeLessThanOrEqualTo(threads.size());
    }

    private static void use(Builder ground, int pairs) {
        for (int i = 0; i < pairs; i++) {
            try (NetioTestPair pair = ground.open()) {
                Flux<Integer> received = pair.client().receive(ByteBuffer::getInt).take(10);
                pair.server().send(numbers(0, 20)).subscribe(nothing -> { }, error -> { });
                assertThat(received.collectList().block(PATIENCE)).hasSize(10);
            }
        }
    }

    /** Names of the JVM's threads that some loop has, or an unknown pool. */
    private static List<String> threads() {
        List<String> names = new ArrayList<>();
        Thread.getAllStackTraces().keySet().forEach(thread -> names.add(thread.getName()));
        return names;
    }

    private static int eventually(int number) throws Exception {
        Eventually.within(Duration.ofSeconds(60), () -> descriptors() <= number);
        return descriptors();
    }

    /** Open descriptors, but for files: the JVM opens jars when it likes. */
    private static int descriptors() throws IOException {
        int found = 0;
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : stream) {
                try {
                    found += Files.readSymbolicLink(descriptor).toString().startsWith("/") ? 0 : 1;
                } catch (NoSuchFileException e) {
                    // the descriptor of this listing itself, for one
                }
            }
        }
        return found;
    }
}
