// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivenetio.testing.Eventually;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the memory of slots goes. */
@Timeout(60)
class SlabTest {
    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[40_000]);

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

    @Test
    void shouldShowZerosToTheNext() {
        int size = 70_000; // which no other test has
        Slab slab = new Slab(3, size);
        int slot = slab.acquire();
        slab.view(slot).put(0, (byte) 1).put(size - 1, (byte) 1);
        long address = slab.address(slot);
        slab.free(slot);
        slab.retire(0);

        Slab next = new Slab(3, size);
        int again = next.acquire();
        assertThat(next.address(again)).as("the memory of the former one").isEqualTo(address);
        for (int i = 0; i < size; i++) {
            assertThat(next.view(again).get(i)).isZero();
        }
        assertThat(next.generation(again)).isZero();
        slab.freeForeign(slot); // somebody who gives a slot back twice does not give back that of the next
        assertThat(next.isFreed()).isFalse();
        next.free(again);
        next.retire(0);
    }

    @Test
    void shouldCloseWhatNobodyNeedsForAWhile() {
        Slab slab = new Slab(1, 71_000);
        ByteBuffer view = slab.view(slab.acquire());
        slab.free(0);
        slab.retire(0);
        assertThat(view.get(0)).isZero();
        Eventually.await("the memory has gone", () -> catchThrowable(() -> view.get(0)) instanceof IllegalStateException);
        Eventually.await("nothing rests", () -> RestingBlocks.ALL.number() == 0);
    }

    @Test
    void shouldGiveABlockToOneOnlyAndZerosToAll() throws Exception {
        List<CompletableFuture<Void>> users = new ArrayList<>();
        for (byte id = 1; id <= 4; id++) {
            byte own = id;
            users.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 2_000; i++) {
                    Block block = Block.of(40_000);
                    MemorySegment memory = block.memory();
                    assertThat(memory.mismatch(ZEROS)).isEqualTo(-1);
                    memory.fill(own);
                    assertThat(memory.get(ValueLayout.JAVA_BYTE, i)).isEqualTo(own);
                    block.giveBack(memory.byteSize());
                }
            }));
        }
        for (CompletableFuture<Void> user : users) {
            user.get(50, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldNotBeGivenBackTwice() {
        Block block = Block.of(73_000);
        block.giveBack(0);
        assertThatThrownBy(() -> block.giveBack(0)).isInstanceOf(IllegalStateException.class).hasMessageContaining("twice");
        Block.of(73_000).giveBack(0);
    }

    /** A slot is given back while a system call elsewhere still has its view: the memory goes after that, and nobody stumbles. */
    @Test
    void shouldOutliveASystemCallThatHasAView() throws Exception {
        Slab slab = new Slab(1, 72_000);
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
        RestingBlocks.ALL.close();
        assertThat(RestingBlocks.ALL.number()).as("what is in use").isPositive();
        pipe.sink().write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo(3);
        Eventually.await("the memory has gone", () -> catchThrowable(() -> view.get(0)) instanceof IllegalStateException);
        pipe.sink().close();
        pipe.source().close();
    }

    /** By its stack: the JVM calls a thread that waits for input runnable. */
    private static boolean inSystemCall(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().startsWith("read");
    }
}
