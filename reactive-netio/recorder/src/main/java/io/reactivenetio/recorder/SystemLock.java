// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import org.jspecify.annotations.Nullable;

/** The system's lock on a file, in two halves, so that one is held while the other is taken anew. */
interface SystemLock {
    /** Takes a half, 0 or 1, also if the system has forgotten that this has it. Returns false if another process has it. */
    boolean take(int half) throws IOException;

    /** A process, which locks files. Its own files are known by their keys together with it. */
    interface Locker {
        Locker THIS = Halves::new;

        SystemLock of(FileChannel channel);
    }

    /** The lock of this process. It is given back when the channel is closed. */
    final class Halves implements SystemLock {
        private static final long HALF = 1L << 62;

        private final FileChannel channel;
        private final @Nullable FileLock[] held = new @Nullable FileLock[2];

        private Halves(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public boolean take(int half) throws IOException {
            FileLock before = held[half];
            if (before != null) {
                before.release();
            }
            held[half] = null;
            try {
                held[half] = channel.tryLock(half * HALF, half == 0 ? HALF : HALF - 1, false);
            } catch (OverlappingFileLockException e) {
                // a recorder of another class loader
            }
            return held[half] != null;
        }
    }
}
