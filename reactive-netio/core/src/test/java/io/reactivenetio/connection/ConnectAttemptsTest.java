// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.connection.ConnectAttempts.Way;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

class ConnectAttemptsTest {
    private static final InetSocketAddress NAME = InetSocketAddress.createUnresolved("detector", 7);
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    private final CompletableFuture<List<InetSocketAddress>> found = new CompletableFuture<>();
    /** The attempts that have begun, in their order. */
    private final Map<String, MonoSink<String>> begun = new LinkedHashMap<>();
    private final List<String> givenUp = new ArrayList<>();
    private final List<String> discarded = new ArrayList<>();
    private final List<Object> signals = new ArrayList<>();
    private final Disposable subscriber = ConnectAttempts.byAny(NAME, Mono.fromFuture(() -> found).map(this::ways),
            discarded::add, LIMIT, clock).subscribe(signals::add, signals::add);

    private List<Way<String>> ways(List<InetSocketAddress> addresses) {
        return addresses.stream().map(address -> new Way<>(address, "", attempt(address))).toList();
    }

    private Mono<String> attempt(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return Mono.create(sink -> {
            begun.put(host, sink);
            sink.onCancel(() -> givenUp.add(host));
        });
    }

    private void find(String... hosts) {
        found.complete(List.of(hosts).stream().map(host -> new InetSocketAddress(host, 7)).toList());
    }

    private void refuse(String host) {
        begun.get(host).error(new NetioConnectException(host + " refuses", null));
    }

    private void pass(Duration time) {
        clock.advanceTimeBy(time);
    }

    private String failure() {
        assertThat(signals).singleElement().isInstanceOf(NetioConnectException.class);
        return ((Throwable) signals.getFirst()).getMessage();
    }

    @AfterEach
    void shouldBeOver() {
        subscriber.dispose();
        List<Object> before = List.copyOf(signals);
        int attempts = begun.size();
        pass(Duration.ofHours(1));
        assertThat(signals).isEqualTo(before).hasSizeLessThanOrEqualTo(1);
        assertThat(begun).hasSize(attempts);
    }

    @Test
    void shouldTryTheNextAddressAtOnceWhenOneRefuses() {
        find("10.0.0.1", "10.0.0.2", "10.0.0.3");
        assertThat(begun.keySet()).containsExactly("10.0.0.1");
        refuse("10.0.0.1");
        assertThat(begun.keySet()).containsExactly("10.0.0.1", "10.0.0.2");
        begun.get("10.0.0.2").success("second");
        assertThat(signals).containsExactly("second");
        pass(LIMIT);
        assertThat(begun.keySet()).as("no further attempt").containsExactly("10.0.0.1", "10.0.0.2");
    }

    @Test
    void shouldTryTheNextAddressBesideOneThatDoesNotAnswer() {
        find("10.0.0.1", "10.0.0.2", "10.0.0.3");
        pass(ConnectAttempts.HEAD_START.minusMillis(1));
        assertThat(begun).hasSize(1);
        pass(Duration.ofMillis(1));
        assertThat(begun).hasSize(2);
        begun.get("10.0.0.2").success("second");
        assertThat(signals).containsExactly("second");
        assertThat(givenUp).containsExactly("10.0.0.1");
    }

    @Test
    void shouldTakeTheFirstAddressThoughItAnswersLate() {
        find("10.0.0.1", "10.0.0.2");
        pass(ConnectAttempts.HEAD_START);
        begun.get("10.0.0.1").success("first");
        assertThat(signals).containsExactly("first");
        assertThat(givenUp).containsExactly("10.0.0.2");
    }

    @Test
    void shouldNameEachAttemptWhenAllHaveFailed() {
        find("10.0.0.1", "10.0.0.2");
        pass(ConnectAttempts.HEAD_START);
        refuse("10.0.0.2");
        assertThat(signals).as("the first may still answer").isEmpty();
        refuse("10.0.0.1");
        assertThat(failure()).isEqualTo("cannot connect to detector:7 (10.0.0.1:7: 10.0.0.1 refuses; "
                + "10.0.0.2:7: 10.0.0.2 refuses)");
        assertThat((Throwable) signals.getFirst()).hasCauseInstanceOf(NetioConnectException.class);
        assertThat(((Throwable) signals.getFirst()).getSuppressed()).hasSize(1);
    }

    @Test
    void shouldFailAsTheOnlyAddressDoes() {
        find("10.0.0.1");
        refuse("10.0.0.1");
        assertThat(failure()).isEqualTo("10.0.0.1 refuses");
    }

    @Test
    void shouldShareOneLimitOfTime() {
        pass(Duration.ofSeconds(4));
        find("10.0.0.1", "10.0.0.2");
        pass(Duration.ofMillis(500));
        refuse("10.0.0.2");
        pass(Duration.ofMillis(500));
        assertThat(failure()).isEqualTo(
                "connecting to detector:7 took longer than 5000 ms (10.0.0.1:7: no answer; 10.0.0.2:7: 10.0.0.2 refuses)");
        assertThat(givenUp).containsExactly("10.0.0.1");
    }

    @Test
    void shouldNotWaitForANameLongerThanTheLimit() {
        pass(LIMIT);
        assertThat(failure()).isEqualTo("connecting to detector:7 took longer than 5000 ms");
        assertThat(found).isCancelled();
    }

    @Test
    void shouldFailWhenTheNameIsNotKnown() {
        found.completeExceptionally(new NetioConnectException("cannot resolve host 'detector'", null));
        assertThat(failure()).isEqualTo("cannot resolve host 'detector'");
    }

    @Test
    void shouldNotTryOtherAddressesWhenNoneCouldHelp() {
        find("10.0.0.1", "10.0.0.2");
        begun.get("10.0.0.1").error(new IllegalArgumentException("settings"));
        assertThat(signals).singleElement().isInstanceOf(IllegalArgumentException.class);
        assertThat(begun).hasSize(1);
    }

    @Test
    void shouldGiveAllUpWhenItIsCancelled() {
        find("10.0.0.1", "10.0.0.2");
        pass(ConnectAttempts.HEAD_START);
        subscriber.dispose();
        assertThat(givenUp).containsExactlyInAnyOrder("10.0.0.1", "10.0.0.2");
        assertThat(signals).isEmpty();
    }

    @Test
    void shouldNotBeginWhenItIsCancelledDuringTheLookUp() {
        subscriber.dispose();
        assertThat(found).isCancelled();
        find("10.0.0.1");
        assertThat(begun).isEmpty();
    }

    /** A connection is on its way to a subscriber that has not asked for it yet, and cancels. */
    @Test
    void shouldDiscardAConnectionThatNobodyGets() {
        CompletableFuture<List<InetSocketAddress>> known = CompletableFuture.completedFuture(
                List.of(new InetSocketAddress("10.0.0.2", 7), new InetSocketAddress("10.0.0.3", 7)));
        StepVerifier.create(ConnectAttempts.byAny(NAME, Mono.fromFuture(known).map(this::ways), discarded::add, LIMIT,
                clock), 0)
                .then(() -> begun.get("10.0.0.2").success("unwanted"))
                .thenCancel().verify();
        assertThat(discarded).containsExactly("unwanted");
    }

    @Test
    void shouldFailWithALoopThatEnds() {
        find("10.0.0.1", "10.0.0.2", "10.0.0.3");
        clock.dispose();
        refuse("10.0.0.1");
        assertThat(signals).singleElement().isInstanceOf(RejectedExecutionException.class);
    }
}
