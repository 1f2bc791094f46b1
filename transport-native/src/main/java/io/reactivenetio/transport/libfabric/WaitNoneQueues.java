// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.LibFabric;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The armed completion queues of a loop that were opened with FI_WAIT_NONE, and so have no descriptor. The descriptor of the
 * event queue wakes the loop for them.
 *
 * <p>From libfabric 1.18 on, the sockets of a tcp domain are in one epoll set, and whoever reads any queue of the domain moves
 * the data of all. A descriptor for each completion queue would say the same as all others: each message would wake every queue,
 * and the kernel refuses more than some hundred such descriptors in one epoll set (EINVAL: a socket may have 100 ways of length
 * three up to a waiter, fs/eventpoll.c, path_limits). That set is in the event queue's descriptor as well, so this one wakes the
 * loop, and then fi_trywait says of each queue whether something has come into it, without a system call.
 */
final class WaitNoneQueues {
    private static final int SINCE = 1 << 16 | 18;
    /** Calls of fi_trywait per turn of a loop that is always busy. */
    private static final int TRIES_PER_TURN = 8;

    private @Nullable CompletionQueue[] queues = new @Nullable CompletionQueue[16];
    private int count;
    private int next;

    /** Whether the completion queues of this provider are opened with FI_WAIT_NONE. */
    static boolean usedBy(LibFabric library, String provider) {
        return provider.equals("tcp") && Integer.compareUnsigned(library.version(), SINCE) >= 0;
    }

    void add(CompletionQueue queue) {
        if (count == queues.length) {
            queues = Arrays.copyOf(queues, 2 * count);
        }
        queue.waitNoneIndex = count;
        queues[count++] = queue;
    }

    void remove(CompletionQueue queue) {
        CompletionQueue last = at(--count);
        queues[queue.waitNoneIndex] = last;
        last.waitNoneIndex = queue.waitNoneIndex;
        queues[count] = null;
        queue.waitNoneIndex = -1;
    }

    /** Has {@code users} try some of the queues. */
    void trySome(CompletionQueues users) {
        for (int i = Math.min(TRIES_PER_TURN, count); i > 0; i--) {
            next = next < count ? next : 0;
            if (!users.activateIfReady(at(next))) {
                next++;
            }
        }
    }

    /** Has {@code users} try all, from the last one down: a queue that is activated leaves its place to one that was tried. */
    void tryAll(CompletionQueues users) {
        for (int i = count - 1; i >= 0; i--) {
            if (i < count) { // else more than one has left, in a callback
                users.activateIfReady(at(i));
            }
        }
    }

    private CompletionQueue at(int index) {
        return Objects.requireNonNull(queues[index]);
    }
}
