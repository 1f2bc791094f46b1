// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.Eventually;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the memory of slots goes. */
@Timeout(60)
class SlabTest {
    @Test
    void shouldFreeWithTheLastSlot() {
        Slab slab = new Slab(2, 16);
        int first = slab.acquire();
        int second = slab.acquire();
        slab.free(first);
        slab.retire(0);
        assertThat(slab.isFreed()).isFalse();
        slab.free(second);
        assertThat(slab.isFreed()).isTrue();
    }

    /** A slot is given back while a system call elsewhere still has its view: the memory goes after that, and nobody stumbles. */
    @Test
    void shouldOutliveASystemCallThatHasAView() throws Exception {
        Slab slab = new Slab(1, 16);
        int slot = slab.acquire();
        ByteBuffer view = slab.view(slot);
        Pipe pipe = Pipe.open();
        CompletableFuture<Integer> read = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            try {
                read.complete(pipe.source().read(view));
            } catch (IOException e) {
                read.completeExceptionally(e);
            }
        });
        Eventually.await("the reader is in the system call", () -> inSystemCall(reader));
        slab.free(slot);
        slab.retire(0);
        assertThat(slab.isFreed()).isFalse();
        pipe.sink().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo(3);
        Eventually.await("the slab is freed", slab::isFreed);
        pipe.sink().close();
        pipe.source().close();
    }

    /** By its stack: the JVM calls a thread that waits for input runnable. */
    private static boolean inSystemCall(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().startsWith("read");
    }
}
