// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SharedConnection;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** One connection for all who ask, by {@link NetioClient#shared}. */
class SharedConnectionTest {
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final DisposableServer server = NetioServer.create().backend(BackendType.TCP).doOnConnection(accepted::add).bindNow();
    private final SharedConnection shared = NetioClient.create().backend(BackendType.TCP).port(server.port()).shared();

    @AfterEach
    void close() {
        shared.dispose();
        accepted.forEach(NetioConnection::dispose);
        server.disposeNow(PATIENCE);
    }

    @Test
    void shouldBeOneForAllWhoAsk() {
        List<NetioConnection> all = Flux.range(0, 20).flatMap(i -> shared.get()).collectList().block(PATIENCE);
        assertThat(all).hasSize(20).containsOnly(all.getFirst());
        assertThat(shared.with(connection -> Mono.just(connection)).blockLast(PATIENCE)).isSameAs(all.getFirst());
        assertThat(all.getFirst().isDisposed()).isFalse(); // somebody has it
    }

    @Test
    void shouldBeMadeAnewWhenItWasLost() {
        NetioConnection first = shared.get().block(PATIENCE);
        first.dispose();
        first.onDispose().block(PATIENCE);
        NetioConnection second = shared.get().block(PATIENCE);
        assertThat(second).isNotSameAs(first);
        assertThat(second.isDisposed()).isFalse();
    }

    @Test
    void shouldBeClosedWithItsLastUser() {
        List<NetioConnection> used = new CopyOnWriteArrayList<>();
        Disposable one = shared.with(connection -> Flux.<Void>never().doOnSubscribe(s -> used.add(connection))).subscribe();
        Disposable other = shared.with(connection -> Flux.<Void>never().doOnSubscribe(s -> used.add(connection))).subscribe();
        Link.await(() -> used.size() == 2, used::toString);
        assertThat(used).containsOnly(used.getFirst());
        one.dispose();
        one.dispose();
        assertThat(used.getFirst().isDisposed()).isFalse();
        other.dispose();
        used.getFirst().onDispose().block(PATIENCE);
        assertThat(shared.with(Mono::just).blockLast(PATIENCE)).isNotSameAs(used.getFirst());
    }

    @Test
    void shouldTellAllWhoWaitThatItCannotBeMade() {
        server.disposeNow(PATIENCE);
        Mono<NetioConnection> get = shared.get();
        StepVerifier.create(get).expectError(NetioException.class).verify(PATIENCE);
        StepVerifier.create(get).expectError(NetioException.class).verify(PATIENCE); // tried again
    }

    @Test
    void shouldMakeNoOtherWhenItWasDisposedOf() {
        NetioConnection connection = shared.get().block(PATIENCE);
        Mono<NetioConnection> later = shared.get();
        shared.dispose();
        shared.dispose();
        assertThat(shared.isDisposed()).isTrue();
        connection.onDispose().block(PATIENCE);
        StepVerifier.create(later).expectError(IllegalStateException.class).verify(PATIENCE);
        StepVerifier.create(shared.with(Mono::just)).expectError(IllegalStateException.class).verify(PATIENCE);
    }

    @Test
    void shouldCloseAlsoWhatIsStillBeingMade() {
        shared.get().subscribe(made -> { }, error -> { });
        shared.dispose();
        Link.await(() -> accepted.isEmpty() || accepted.stream().allMatch(NetioConnection::isDisposed), accepted::toString);
    }
}
