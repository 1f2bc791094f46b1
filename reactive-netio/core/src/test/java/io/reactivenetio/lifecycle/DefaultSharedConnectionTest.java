// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One connection for all subscriptions: it is there exactly as long as one of them is. */
@Timeout(180)
class DefaultSharedConnectionTest {
    private static final int ROUNDS = 20_000;
    private static final int LEAST_ROUNDS = 500;
    /** After which the rounds are enough: on a busy machine each may have to wait for a processor twice. */
    private static final Duration ENOUGH = Duration.ofSeconds(30);

    private final NetioLoops loops = NetioLoops.create("shared", 1);
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicReference<NetioConnection> last = new AtomicReference<>();

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private DefaultSharedConnection shared() {
        DisposableServer server = NetioServer.create().backend(BackendType.TCP).runOn(loops).bindNow();
        NetioClient client = NetioClient.create().backend(BackendType.TCP).runOn(loops).port(server.port());
        return new DefaultSharedConnection(Mono.defer(client::connect).doOnNext(made -> {
            connections.incrementAndGet();
            last.set(made);
        }));
    }

    /** Hands its subscription to who cancels it, while it is still being subscribed. */
    private static final class Cancelled extends BaseSubscriber<Object> {
        private final AtomicReference<Subscription> toCancel;

        Cancelled(AtomicReference<Subscription> toCancel) {
            this.toCancel = toCancel;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            toCancel.set(this);
        }
    }

    @Test
    void shouldCountASubscriptionOnceThatIsCancelledWhileItIsMade() throws InterruptedException {
        DefaultSharedConnection shared = shared();
        AtomicInteger ended = new AtomicInteger();
        AtomicInteger used = new AtomicInteger();
        Disposable healthy = shared.with(connection -> Flux.never().doOnSubscribe(s -> used.incrementAndGet()))
                .doOnTerminate(ended::incrementAndGet).subscribe();
        Link.await(() -> used.get() == 1, () -> "the connection");
        AtomicReference<Subscription> toCancel = new AtomicReference<>();
        AtomicInteger cancelled = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Thread canceller = Thread.ofPlatform().daemon().start(() -> {
            while (!over.get()) {
                Subscription subscription = toCancel.getAndSet(null);
                if (subscription == null) {
                    Thread.yield(); // whoever hands it over may need this processor
                } else {
                    subscription.cancel();
                    cancelled.incrementAndGet();
                }
            }
        });
        long begun = System.nanoTime();
        for (int round = 0; round < ROUNDS && (round < LEAST_ROUNDS || System.nanoTime() - begun < ENOUGH.toNanos()); round++) {
            shared.with(connection -> Flux.never()).subscribe(new Cancelled(toCancel));
            while (cancelled.get() <= round) {
                Thread.yield();
            }
        }
        over.set(true);
        canceller.join();
        assertThat(shared.figures().users()).isEqualTo(1);
        assertThat(ended).hasValue(0);
        assertThat(connections).hasValue(1);
        assertThat(last.get().isDisposed()).isFalse();
        healthy.dispose();
        assertThat(shared.figures().users()).isZero();
        Link.await(() -> last.get().isDisposed(), () -> "closed with the last");
    }
}
