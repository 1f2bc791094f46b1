// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.loop.EventLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the larger tasks of one connection, one in each turn of its loop. So a connection that has many of them has no more of the
 * loop than one that has a few. What is given to it after the end of the loop is forgotten. Any thread.
 */
final class ConnectionTurns implements Executor {
    private final EventLoop loop;
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    ConnectionTurns(EventLoop loop) {
        this.loop = loop;
    }

    @Override
    public void execute(Runnable task) {
        waiting.add(task);
        if (size.getAndIncrement() == 0) {
            begin();
        }
    }

    private void begin() {
        try {
            loop.execute(this::turn);
        } catch (RejectedExecutionException terminated) {
            // what a connection has to do ends with its loop
        }
    }

    private void turn() {
        Runnable task = waiting.remove();
        try {
            task.run();
        } finally {
            if (size.decrementAndGet() > 0) {
                loop.atEndOfTurn(this::begin); // what is added to the inbox at the end of a turn is run in the next
            }
        }
    }
}
