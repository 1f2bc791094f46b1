// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import reactor.blockhound.BlockingOperationError;

/** Runs in a JVM of its own after all others, see {@link WatchedLoops}: in no test of theirs has anything blocked on a loop. */
@Timeout(180)
@EnabledIfSystemProperty(named = WatchedLoops.FOLDER, matches = ".+")
class LoopNeverBlocksTest {

    @AfterEach
    void forget() {
        WatchedLoops.found().clear();
    }

    @Test
    void shouldHaveSeenNothingThatBlocksOnALoop() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty(WatchedLoops.FOLDER)))) {
            assertThat(files).as("JVMs that ran tests before, each with what blocked in it").isNotEmpty()
                    .allSatisfy(file -> assertThat(file).content().isEmpty());
        }
    }

    @Test
    void shouldSeeWhatBlocksOnALoop() {
        NetioLoops loops = NetioLoops.create("watched", 1);
        try {
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            loops.scheduler().schedule(() -> {
                try {
                    Thread.sleep(1); // what has to be found
                    outcome.complete(new AssertionError("nobody minded"));
                } catch (Throwable t) {
                    outcome.complete(t);
                }
            });
            assertThat(outcome.orTimeout(30, TimeUnit.SECONDS).join()).isInstanceOf(BlockingOperationError.class)
                    .hasMessageContaining("sleep");
            assertThat(WatchedLoops.found()).hasSize(1);
        } finally {
            loops.dispose();
        }
    }

    @Test
    void shouldNotMindWhatBlocksElsewhere() throws Exception {
        assertThat(new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(WatchedLoops.found()).isEmpty();
    }
}
