// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopStatistics;
import io.reactivenetio.transport.BackendType;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

/** What is there before the first connection. */
@Timeout(180)
class WarmupTest {
    private final NetioLoops loops = NetioLoops.create("warm", 2);

    @AfterEach
    void stop() {
        loops.dispose();
    }

    @ParameterizedTest
    @EnumSource(names = {"LIBFABRIC", "TCP"})
    void shouldHaveEachLoopRunBeforeSomebodyConnects(BackendType backend) {
        NetioServer server = NetioServer.create().backend(backend).runOn(loops);
        server.warmup().block(PATIENCE);
        assertThat(loops.statistics()).extracting(LoopStatistics::tasksRun).hasSize(2).allMatch(tasks -> tasks > 0);
        DisposableServer listening = server.bindNow(PATIENCE);
        NetioClient client = NetioClient.create().backend(backend).runOn(loops).port(listening.port());
        client.warmup().block(PATIENCE);
        client.warmup().then(client.connect()).block(PATIENCE).dispose();
        listening.disposeNow(PATIENCE);
    }

    @Test
    void shouldPrepareNothingBeforeItIsSubscribedTo() {
        loops.dispose();
        Mono<Void> warm = NetioClient.create().backend(BackendType.TCP).runOn(loops).warmup();
        assertThatThrownBy(() -> warm.block(PATIENCE)).isInstanceOf(IllegalStateException.class).hasMessageContaining("disposed");
    }

    /** It may be subscribed to on a loop, where nothing may block, as it does its work elsewhere. */
    @Test
    void shouldNotHoldUpTheLoopThatSubscribes() {
        CompletableFuture<Boolean> onLoop = new CompletableFuture<>();
        Mono.defer(() -> {
            onLoop.complete(EventLoop.isLoopThread(Thread.currentThread()));
            return NetioClient.create().backend(BackendType.TCP).runOn(loops).warmup();
        }).subscribeOn(loops.scheduler()).block(PATIENCE);
        assertThat(onLoop).isCompletedWithValue(true);
    }
}
