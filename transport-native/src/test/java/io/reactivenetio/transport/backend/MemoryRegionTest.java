// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.Eventually;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MemoryRegionTest {

    @Test
    void shouldWaitForASystemCallThatHasTheMemory() throws Exception {
        MemoryRegion region = MemoryRegion.allocate(100);
        MemoryRegion.Use use = region.acquire();
        ByteBuffer buffer = region.segment().asByteBuffer();
        Pipe pipe = Pipe.open();
        CompletableFuture<Integer> read = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                read.complete(pipe.source().read(buffer));
            } catch (Exception e) {
                read.completeExceptionally(e);
            }
        });
        Eventually.await("the reader reads", () -> reader.getState() == Thread.State.RUNNABLE && isReading(reader));
        region.close();
        use.release();
        assertThat(region.segment().scope().isAlive()).isTrue();
        pipe.sink().write(ByteBuffer.allocate(7));
        assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(7);
        Eventually.await("the region is freed", () -> !region.segment().scope().isAlive());
        pipe.sink().close();
        pipe.source().close();
    }

    @Test
    void shouldStayUntilEachConnectionIsOverHoweverOftenOneSaysSo() {
        MemoryRegion region = MemoryRegion.allocate(100);
        MemoryRegion.Use one = region.acquire();
        MemoryRegion.Use other = region.acquire();
        one.release();
        one.release();
        region.close();
        one.release();
        assertThat(region.segment().scope().isAlive()).isTrue();
        other.release();
        assertThat(region.segment().scope().isAlive()).isFalse();
    }

    private static boolean isReading(Thread thread) {
        for (StackTraceElement element : thread.getStackTrace()) {
            if (element.getMethodName().contains("read0")) {
                return true;
            }
        }
        return false;
    }
}
