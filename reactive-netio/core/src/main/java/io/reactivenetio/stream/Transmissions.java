// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.loop.EventLoop;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Which pages have left: their sends have completed, in the order in which they were posted. Pages have numbers from 1 on. On the
 * loop.
 */
final class Transmissions {
    private record Waiting(long page, Runnable then) {
    }

    private final EventLoop loop;
    private final Queue<Waiting> waiting = new PriorityQueue<>(Comparator.comparingLong(Waiting::page));
    private long posted;
    private long completed;

    Transmissions(EventLoop loop) {
        this.loop = loop;
    }

    /** The number of the next page, which may be being written. */
    long next() {
        return posted + 1;
    }

    /** A page is about to be posted. */
    void posting() {
        posted++;
    }

    /** The number of the last page that has left. */
    long completed() {
        return completed;
    }

    /** Calls back when a page that was posted, or is being written, has left; never, if the connection ends before. */
    void await(long page, Runnable then) {
        waiting.add(new Waiting(page, then));
    }

    /** The send of a page has completed. */
    void onCompleted() {
        completed++;
        Waiting first;
        while ((first = waiting.peek()) != null && first.page() <= completed) {
            waiting.remove();
            try {
                first.then().run();
            } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
                loop.report(t);
            }
        }
    }
}
