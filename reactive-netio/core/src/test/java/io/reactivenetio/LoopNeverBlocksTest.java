// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import reactor.blockhound.BlockingOperationError;

/** The last class to run, see {@link WatchedLoops}: in all tests before it nothing has blocked on a loop. */
@Timeout(180)
@EnabledIfSystemProperty(named = "io.reactivenetio.watchLoops", matches = "true")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LoopNeverBlocksTest {

    @Test
    @Order(1)
    void shouldHaveSeenNothingThatBlocksOnALoop() {
        assertThat(WatchedLoops.found().stream().map(LoopNeverBlocksTest::text)).isEmpty();
    }

    private static String text(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    @Order(2)
    void shouldSeeWhatBlocksOnALoop() {
        NetioLoops loops = NetioLoops.create("watched", 1);
        try {
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            loops.scheduler().schedule(() -> {
                try {
                    Thread.sleep(1);
                    outcome.complete(new AssertionError("nobody minded"));
                } catch (Throwable t) {
                    outcome.complete(t);
                }
            });
            assertThat(outcome.orTimeout(30, TimeUnit.SECONDS).join()).isInstanceOf(BlockingOperationError.class)
                    .hasMessageContaining("sleep");
            assertThat(WatchedLoops.found()).hasSize(1);
            WatchedLoops.found().clear();
        } finally {
            loops.dispose();
        }
    }

    @Test
    @Order(3)
    void shouldNotMindWhatBlocksElsewhere() throws Exception {
        Thread.sleep(1);
        assertThat(WatchedLoops.found()).isEmpty();
    }
}
