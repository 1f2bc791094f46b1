// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.transport.BackendType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Whoever collects more leases than there are cannot stop a connection unnoticed. */
@Timeout(180)
class LeasePolicyTest {
    private static final Pattern HOLDERS = Pattern.compile("(\\d+) x from receiveLeased\\(\\) at ");
    private static final int MESSAGES = 100;

    private final NetioLoops loops = NetioLoops.create("policy", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private Link link(BackendType backend, LeasePolicy policy) {
        return new Link(loops, backend, server -> server.leasePolicy(policy));
    }

    private static List<Integer> released(List<Lease> leases) {
        return leases.stream().map(lease -> {
            try (lease) {
                return Link.number(lease.buffer());
            }
        }).toList();
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCopyWhatIsCollectedBeyondTheCap(BackendType backend) {
        try (Link link = link(backend, LeasePolicy.COPY)) {
            link.send(MESSAGES);
            List<Lease> all = link.receiving.receiveLeased().collectList().block(PATIENCE);
            ConnectionStatistics now = link.receiving.statistics();
            assertThat(now.leasedBuffers()).isEqualTo(Link.CAP);
            assertThat(now.leasedCopies()).isEqualTo(MESSAGES - Link.CAP);
            assertThat(now.leaseCopies()).isEqualTo(MESSAGES - Link.CAP);
            assertThat(released(all)).isEqualTo(IntStream.range(0, MESSAGES).boxed().toList());
            link.awaitBalance(() -> "after the list");
            assertThat(link.receiving.statistics().leaseCopies()).isEqualTo(MESSAGES - Link.CAP);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCopyWhatIsBufferedBeyondTheCapAndLeaseAgainAfterwards(BackendType backend) {
        try (Link link = link(backend, LeasePolicy.COPY)) {
            link.send(MESSAGES);
            StepVerifier.create(link.receiving.receiveLeased().buffer(10).map(LeasePolicyTest::released))
                    .expectNextCount(MESSAGES / 10).expectComplete().verify(PATIENCE);
            assertThat(link.receiving.statistics().leaseCopies()).isEqualTo(MESSAGES / 10 * (10 - Link.CAP));
            link.awaitBalance(() -> "after the buffers");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldWaitAtTheCapAndNameTheHolder(BackendType backend) throws Exception {
        try (Link link = link(backend, LeasePolicy.WAIT); Warnings warnings = new Warnings()) {
            BlockingQueue<Lease> leases = new LinkedTransferQueue<>();
            CompletableFuture<Void> done = new CompletableFuture<>();
            link.receiving.receiveLeased().doOnNext(Lease::buffer)
                    .subscribe(leases::add, done::completeExceptionally, () -> done.complete(null));
            link.send(MESSAGES);
            Link.await(() -> warnings.text().contains("lease policy WAIT"), warnings::text);
            assertThat(leases).hasSize(Link.CAP);
            assertThat(warnings.text()).contains("all 6 receive buffers that may be leased")
                    .contains("from receiveLeased() at").contains("LeasePolicyTest.java:");
            assertThat(warnings.text()).contains("They are: ").contains("last used by policy-");
            assertThat(HOLDERS.matcher(warnings.text()).results().mapToInt(holder -> Integer.parseInt(holder.group(1))).sum())
                    .as(warnings.text()).isEqualTo(Link.CAP); // of those that are sampled it says more, so they have their own
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                Lease lease = leases.poll(30, TimeUnit.SECONDS);
                assertThat(lease).as("lease %d", i).isNotNull();
                numbers.add(Link.number(lease.buffer()));
                lease.release();
            }
            assertThat(numbers).isEqualTo(IntStream.range(0, MESSAGES).boxed().toList());
            done.get(30, TimeUnit.SECONDS);
            assertThat(link.receiving.statistics().leaseCopies()).isZero();
            link.awaitBalance(() -> "after the wait");
            assertThat(warnings.text().split("lease policy WAIT", -1)).hasSizeLessThan(MESSAGES); // 2, if no pause
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLetACollectorThatWaitsForEverBeCancelledWithAllLeasesGivenBack(BackendType backend) {
        try (Link link = link(backend, LeasePolicy.WAIT)) {
            link.send(MESSAGES);
            Disposable collecting = link.receiving.receiveLeased(Flux::collectList).subscribe();
            Link.await(() -> link.receiving.statistics().leasedBuffers() == Link.CAP, () -> "the cap");
            collecting.dispose();
            link.awaitBalance(() -> "after the cancel");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldGoOnWhenLeasesComeBackFromOtherThreads(BackendType backend) {
        try (Link link = link(backend, LeasePolicy.WAIT)) {
            link.send(10_000);
            assertThat(link.receiving.receiveLeased()
                    .flatMap(lease -> Flux.just(lease).publishOn(Schedulers.parallel()).map(each -> {
                        try (each) {
                            return (long) Link.number(each.buffer());
                        }
                    }), 64)
                    .reduce(0L, Long::sum).block(PATIENCE)).isEqualTo(10_000L * 9_999 / 2);
            link.awaitBalance(() -> "after the stream");
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldFailAtTheCapAndGiveBackWhatWasCollected(BackendType backend) {
        try (Link link = link(backend, LeasePolicy.ERROR)) {
            link.send(MESSAGES);
            StepVerifier.create(link.receiving.receiveLeased(leases -> leases.buffer(10).cast(Object.class)))
                    .expectErrorSatisfies(error -> {
                        assertThat(Exceptions.isOverflow(error)).isTrue();
                        assertThat(error).hasMessageContaining("all 6 receive buffers of endpoint");
                    })
                    .verify(PATIENCE);
            link.awaitBalance(() -> "after the error");
            assertThat(link.receiving.isDisposed()).isFalse();
        }
    }

    @Test
    void shouldRefuseAPolicyThatNeedsASecondBuffer() {
        StepVerifier.create(NetioServer.create().receiveBuffers(64, 1).leasePolicy(LeasePolicy.WAIT).bind())
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("2 receive buffers or more")).verify(PATIENCE);
        StepVerifier.create(NetioClient.create().port(1).receiveBuffers(64, 1).leasePolicy(LeasePolicy.ERROR).connect())
                .expectError(IllegalArgumentException.class).verify(PATIENCE);
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldCopyEverythingWhereThereIsOneBuffer(BackendType backend) {
        try (Link link = new Link(loops, backend, server -> server.receiveBuffers(64, 1))) {
            link.send(MESSAGES);
            assertThat(released(link.receiving.receiveLeased().collectList().block(PATIENCE)))
                    .isEqualTo(IntStream.range(0, MESSAGES).boxed().toList());
            assertThat(link.receiving.statistics().leaseCopies()).isEqualTo(MESSAGES);
        }
    }
}
