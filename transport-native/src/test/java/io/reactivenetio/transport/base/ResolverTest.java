// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits for whom while hosts do not answer. */
@Timeout(90)
class ResolverTest {
    private static final int THREADS = 4;

    private final Resolver resolver = new Resolver("test-resolver-", THREADS);
    private final CountDownLatch answer = new CountDownLatch(1);
    private final Semaphore asking = new Semaphore(0);
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final Semaphore done = new Semaphore(0);

    @AfterEach
    void stop() {
        answer.countDown();
    }

    private void askSlowly() {
        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
        asked.incrementAndGet();
        asking.release();
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        atOnce.decrementAndGet();
        done.release();
    }

    private static void await(Semaphore events, int number) throws InterruptedException {
        assertThat(events.tryAcquire(number, 30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldHoldUpNobodyElseWhileAHostIsSlow() throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            resolver.execute("slow", () -> true, this::askSlowly);
        }
        await(asking, 1);
        for (int i = 0; i < 10; i++) {
            resolver.execute("host-" + i, () -> true, done::release);
        }
        await(done, 10);
        assertThat(asked).hasValue(1); // the others of that host wait for this answer
        answer.countDown();
        await(done, 10);
        assertThat(asked).hasValue(10);
    }

    @Test
    void shouldHaveNoMoreThreadsThanAllowed() throws InterruptedException {
        for (int i = 0; i < 3 * THREADS; i++) {
            resolver.execute("slow-" + i, () -> true, this::askSlowly);
        }
        await(asking, THREADS);
        answer.countDown();
        await(done, 3 * THREADS);
        assertThat(mostAtOnce).hasValue(THREADS);
    }

    @Test
    void shouldNotRunWhatNobodyWantsAnyMore() throws InterruptedException {
        resolver.execute("slow", () -> true, this::askSlowly);
        await(asking, 1);
        AtomicBoolean wanted = new AtomicBoolean(true);
        List<String> run = new ArrayList<>();
        Semaphore looked = new Semaphore(0);
        resolver.execute("slow", () -> {
            looked.release();
            return wanted.get();
        }, () -> run.add("unwanted"));
        resolver.execute("slow", () -> {
            looked.release();
            return true;
        }, () -> run.add("wanted"));
        await(looked, 1); // the later of the two looked at the earlier, whichever that is: both are in line
        wanted.set(false);
        answer.countDown();
        await(done, 1);
        resolver.execute("slow", () -> true, done::release);
        await(done, 1);
        assertThat(run).containsExactly("wanted");
    }

    @Test
    void shouldGoOnWithAHostAfterAFailure() throws InterruptedException {
        resolver.execute("host", () -> true, () -> {
            throw new IllegalStateException("a task that fails");
        });
        resolver.execute("host", () -> true, done::release);
        await(done, 1);
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1", "::1, 0:0:0:0:0:0:0:1", "[::1], 0:0:0:0:0:0:0:1", "fe80::2, fe80:0:0:0:0:0:0:2"})
    void shouldKnowALiteralAddress(String host, String address) {
        InetSocketAddress literal = Objects.requireNonNull(Resolver.literal(InetSocketAddress.createUnresolved(host, 4711)));
        assertThat(literal.getPort()).isEqualTo(4711);
        assertThat(literal.getAddress().getHostAddress()).isEqualTo(address);
        assertThat(Resolver.literal(literal)).isSameAs(literal);
    }

    /** RFC 8305 §4: so that a host without a way by one family costs one attempt only. */
    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.1", "10.0.0.1 10.0.0.2 ::1 ::2, 10.0.0.1 ::1 10.0.0.2 ::2",
        "::1 10.0.0.1 10.0.0.2 10.0.0.1 10.0.0.3, ::1 10.0.0.1 10.0.0.2 10.0.0.3", "::1 ::2 10.0.0.1, ::1 10.0.0.1 ::2"})
    void shouldTakeTheFamiliesByTurns(String found, String tried) {
        assertThat(Resolver.byTurns(addresses(found).toArray(InetAddress[]::new)))
                .containsExactlyElementsOf(addresses(tried).toList());
    }

    private static Stream<InetAddress> addresses(String text) {
        return Stream.of(text.split(" ")).map(InetAddress::ofLiteral);
    }

    @Test
    void shouldFindWhatAnAddressStandsFor() {
        assertThat(Resolver.addressesOf(InetSocketAddress.createUnresolved("::1", 7)).join())
                .containsExactly(new InetSocketAddress(InetAddress.ofLiteral("::1"), 7));
        assertThat(Resolver.addressesOf(InetSocketAddress.createUnresolved("localhost", 7)).join())
                .contains(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 7)).allMatch(one -> one.getPort() == 7);
        assertThat(Resolver.addressesOf(InetSocketAddress.createUnresolved("nowhere.invalid", 7)))
                .failsWithin(60, TimeUnit.SECONDS).withThrowableThat().havingCause().isInstanceOf(NetioConnectException.class)
                .withMessage("cannot resolve host 'nowhere.invalid'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "host.example", "300.1.2.3", "1.2.3.4.example", ":::", ""})
    void shouldLookUpAllElse(String host) {
        assertThat(Resolver.literal(InetSocketAddress.createUnresolved(host, 4711))).isNull();
    }
}
