// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * A {@link LoopIo} as contrary as the interface allows it to be: reads and writes less than it was asked to, and completes late,
 * some turns after the memory was touched. What it was told to close, it does not complete.
 */
public final class FaultyLoopIo implements LoopIo {
    private static final int MOST_LATE = 3;
    /** struct iovec: an address and a length. */
    private static final long ENTRY = 16;

    private final LoopIo io;
    private final Supplier<? extends Executor> loop;
    private final Random random;
    private final boolean cuts;

    private FaultyLoopIo(LoopIo io, Supplier<? extends Executor> loop, long seed, boolean cuts) {
        this.io = io;
        this.loop = loop;
        this.random = new Random(seed);
        this.cuts = cuts;
    }

    /** {@code loop}, where the completions come, need not be there yet. */
    public static LoopIo lateAndShort(LoopIo io, Supplier<? extends Executor> loop, long seed) {
        return new FaultyLoopIo(io, loop, seed, true);
    }

    /** The same, but it reads and writes as much as {@code io} does. */
    public static LoopIo late(LoopIo io, Supplier<? extends Executor> loop, long seed) {
        return new FaultyLoopIo(io, loop, seed, false);
    }

    @Override
    public Handle open(int fd, int readsPerTurn) {
        return new FaultyHandle(io.open(fd, readsPerTurn));
    }

    private final class FaultyHandle implements Handle {
        private final Handle handle;
        private boolean closed;
        private boolean reading;
        private boolean writing;

        FaultyHandle(Handle handle) {
            this.handle = handle;
        }

        /** Tells the result up to three turns later. */
        private Completion late(boolean reads, Completion completion) {
            if (closed || (reads ? reading : writing)) {
                throw new IllegalStateException(closed ? "The handle is closed" : "A request is outstanding");
            }
            reading |= reads;
            writing |= !reads;
            return result -> later(random.nextInt(1 + MOST_LATE), () -> {
                if (!closed) {
                    reading &= !reads;
                    writing &= reads;
                    completion.completed(result);
                }
            });
        }

        private void later(int turns, Runnable then) {
            if (turns == 0) {
                then.run();
                return;
            }
            try {
                loop.get().execute(() -> later(turns - 1, then));
            } catch (RejectedExecutionException e) {
                then.run(); // the last turn
            }
        }

        private long less(long bytes) {
            return !cuts || bytes <= 1 || random.nextInt(4) > 0 ? bytes : 1 + random.nextLong(bytes);
        }

        /** Cuts the first entry short, and uses no other, every now and then. It gives the vector back as it was. */
        private Completion cut(MemorySegment vector, boolean reads, Completion completion) {
            long length = vector.get(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES);
            vector.set(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES, 1 + random.nextLong(Math.max(1, length)));
            return late(reads, result -> {
                vector.set(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES, length);
                completion.completed(result);
            });
        }

        private boolean cuts(MemorySegment vector) {
            return cuts && vector.byteSize() >= ENTRY && vector.get(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES) > 0
                    && random.nextInt(4) == 0;
        }

        @Override
        public void read(MemorySegment buffer, Completion completion) {
            handle.read(buffer.asSlice(0, less(buffer.byteSize())), late(true, completion));
        }

        @Override
        public void read(MemorySegment vector, int count, long bytes, Completion completion) {
            if (cuts(vector)) {
                Completion whole = cut(vector, true, completion);
                handle.read(vector, 1, vector.get(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES), whole);
            } else {
                handle.read(vector, count, bytes, late(true, completion));
            }
        }

        @Override
        public void accept(Completion completion) {
            handle.accept(late(true, completion));
        }

        @Override
        public void write(MemorySegment buffer, Completion completion) {
            handle.write(buffer, late(false, completion)); // the handshake's few bytes are never cut by a kernel
        }

        @Override
        public void write(MemorySegment vector, int count, long bytes, Completion completion) {
            if (cuts(vector)) {
                Completion whole = cut(vector, false, completion);
                handle.write(vector, 1, vector.get(ValueLayout.JAVA_LONG_UNALIGNED, Long.BYTES), whole);
            } else {
                handle.write(vector, count, bytes, late(false, completion));
            }
        }

        @Override
        public void connect(MemorySegment address, Completion completion) {
            handle.connect(address, late(false, completion));
        }

        @Override
        public void close() {
            closed = true;
            handle.close();
        }
    }
}
