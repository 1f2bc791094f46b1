// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.LibC;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** {@link LoopIo} by readiness: a read is performed when epoll says that it will not block. */
final class EpollLoopIo implements LoopIo {
    private final Epoll epoll;

    EpollLoopIo(Epoll epoll) {
        this.epoll = epoll;
    }

    @Override
    public Handle open(int fd, int readsPerTurn) {
        return new EpollHandle(epoll, fd, readsPerTurn);
    }

    private static final class EpollHandle implements Handle, FdHandler {
        private final FdRegistration registration;
        private final int fd;
        private final int readsPerTurn;
        private MemorySegment buffer = MemorySegment.NULL;
        private @Nullable Completion outstanding;
        private boolean serving;

        EpollHandle(Epoll epoll, int fd, int readsPerTurn) {
            this.fd = fd;
            this.readsPerTurn = readsPerTurn;
            this.registration = epoll.add(fd, 0, this);
        }

        @Override
        public void read(MemorySegment into, Completion completion) {
            if (outstanding != null) {
                throw new IllegalStateException("A read is outstanding");
            }
            buffer = into;
            outstanding = completion;
            if (!serving) {
                registration.setInterest(FdRegistration.READABLE);
            }
        }

        @Override
        public void ready(int events) {
            serving = true;
            try {
                for (int i = 0; i < readsPerTurn && readOnce(); i++) {
                }
            } finally {
                serving = false;
                if (!registration.isClosed()) {
                    // The kernel is only told when the owner did not re-submit: a ready descriptor nobody reads would spin.
                    registration.setInterest(outstanding == null ? 0 : FdRegistration.READABLE);
                }
            }
        }

        /** Returns whether a read completed. Nothing to read is no completion: a timer may have been stopped meanwhile. */
        private boolean readOnce() {
            Completion completion = outstanding;
            if (completion == null || registration.isClosed()) {
                return false;
            }
            long result = LibC.read(fd, buffer, buffer.byteSize());
            if (result == -LibC.EAGAIN || result == -LibC.EINTR) {
                return false;
            }
            outstanding = null;
            completion.completed(result);
            return true;
        }

        @Override
        public void close() {
            outstanding = null;
            registration.remove();
        }
    }
}
