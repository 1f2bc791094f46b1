// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.LibFabric;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The completion queues of a loop that are empty and have no descriptor: what they wait for, the event queue's descriptor tells.
 *
 * <p>From libfabric 1.18 on, the sockets of a tcp domain are in one epoll set, and whoever reads any queue of the domain moves
 * the data of all. A descriptor for each completion queue would say the same as all others: each message would wake every queue,
 * and the kernel refuses more than some hundred such descriptors in one epoll set (EINVAL: a socket may have 100 ways of length
 * three up to a waiter, fs/eventpoll.c, path_limits). That set is in the event queue's descriptor as well, so this one wakes the
 * loop, and then fi_trywait says of each queue whether something has come into it, without a system call.
 */
final class SilentQueues {
    private static final int SINCE = 1 << 16 | 18;
    /** Looked at per turn of a loop that does not come to rest. */
    private static final int LOOKS = 8;

    private @Nullable CompletionQueue[] queues = new @Nullable CompletionQueue[16];
    private int count;
    private int next;

    /** Whether the completion queues of this provider are to be silent. */
    static boolean has(LibFabric library, String provider) {
        return provider.equals("tcp") && Integer.compareUnsigned(library.version(), SINCE) >= 0;
    }

    void add(CompletionQueue queue) {
        if (count == queues.length) {
            queues = Arrays.copyOf(queues, 2 * count);
        }
        queue.place = count;
        queues[count++] = queue;
    }

    void remove(CompletionQueue queue) {
        CompletionQueue last = at(--count);
        queues[queue.place] = last;
        last.place = queue.place;
        queues[count] = null;
        queue.place = -1;
    }

    /** Has {@code users} look at some. */
    void lookAtSome(CompletionQueues users) {
        for (int i = Math.min(LOOKS, count); i > 0; i--) {
            next = next < count ? next : 0;
            if (!users.wakes(at(next))) {
                next++;
            }
        }
    }

    /** Has {@code users} look at all. From the last one down: one that wakes leaves its place to one that was looked at. */
    void lookAtAll(CompletionQueues users) {
        for (int i = count - 1; i >= 0; i--) {
            if (i < count) { // else more than one has left, in a callback
                users.wakes(at(i));
            }
        }
    }

    private CompletionQueue at(int index) {
        return Objects.requireNonNull(queues[index]);
    }
}
