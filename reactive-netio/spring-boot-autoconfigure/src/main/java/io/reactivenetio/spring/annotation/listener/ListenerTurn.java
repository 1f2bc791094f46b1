// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.security.PeerScope;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Takes the messages that come on one connection. What several threads write is written once for all messages that the loop
 * tells in one go: the numbers, the claim of a worker, and the queue to the workers' threads. A message that is not done within
 * the turn leaves it, and is counted by itself. On the loop; a message that comes on another thread has no turn.
 */
final class ListenerTurn implements Runnable {
    /** The part of one stream. It is made anew for each connection, as turns of two loops may overlap. */
    private final class Part implements MessageStream.Receiver, PendingMessage.Counter {
        private final MessageStream stream;
        private int taken;
        private int done;

        Part(MessageStream stream) {
            this.stream = stream;
        }

        @Override
        public void add(Message message) {
            if (Thread.currentThread() == thread && (begun || begin())) {
                take(message, this);
            } else {
                run.add(message, stream, peer);
            }
        }

        @Override
        public void done(boolean wasHandled) {
            done++;
            handled += wasHandled ? 1 : 0;
        }

        void end() {
            int arrived = taken;
            int over = done;
            taken = 0;
            done = 0;
            stream.taken(arrived, over);
        }
    }

    private final MessageListenerRun run;
    private final NetioConnection connection;
    private final PeerScope peer;
    /** The parts of streams of which messages have come in this turn. */
    private final List<Part> parts = new ArrayList<>();
    /** The loop's thread; null until the loop has told it. */
    private @Nullable Thread thread;
    private boolean begun;
    private int received;
    private int handled;
    private int given;
    /** It has nothing to do, unless its method is below this on the stack. */
    private @Nullable MessageListenerInvoker worker;
    /** What is to wait for a worker. */
    private WaitingMessages.@Nullable Batch batch;

    /** {@code peer}: who publishes the messages. */
    ListenerTurn(MessageListenerRun run, NetioConnection connection, PeerScope peer) {
        this.run = run;
        this.connection = connection;
        this.peer = peer;
    }

    boolean isOf(NetioConnection other) {
        return connection == other;
    }

    /** Takes the messages of {@code stream} that come on this connection. */
    MessageStream.Receiver receiver(MessageStream stream) {
        return new Part(stream);
    }

    /** Has the loop tell its thread. */
    void init() {
        tryExecute(() -> thread = Thread.currentThread());
    }

    private boolean tryExecute(Runnable task) {
        try {
            connection.scheduler().schedule(task);
            return true;
        } catch (RejectedExecutionException ended) {
            return false;
        }
    }

    private void take(Message message, Part part) {
        received++;
        if (part.taken++ == 0) {
            parts.add(part);
        }
        if (run.isAborted()) {
            run.giveUp(message);
            return;
        }
        PendingMessage work = new PendingMessage(message, part.stream, peer);
        if (run.settings().blocks() || !work(work, part)) {
            give(work);
        }
    }

    private boolean begin() {
        if (!run.enter()) {
            return false;
        }
        begun = tryExecute(this);
        if (!begun) {
            run.leave();
        }
        return begun;
    }

    /** False if {@code message} has to wait, for a worker or for messages before it. */
    private boolean work(PendingMessage message, Part part) {
        if (batch != null) {
            return false;
        }
        MessageListenerInvoker free = worker;
        if (free == null) {
            free = run.tryWorker();
            worker = free;
        }
        if (free == null || free.isBusy() || !run.isNoneWaiting()) {
            return false;
        }
        message.turn = part;
        if (!free.work(message)) {
            worker = null; // it goes on by itself
        }
        return true;
    }

    private void give(PendingMessage message) {
        WaitingMessages.Batch open = batch;
        if (open == null) {
            open = new WaitingMessages.Batch();
            batch = open;
        }
        open.add(message);
        given++;
        if (open.isFull()) {
            give();
        }
    }

    private void give() {
        WaitingMessages.Batch open = batch;
        if (open != null) {
            batch = null;
            run.waits(open);
        }
    }

    /** The loop has told all messages that it had. */
    @Override
    public void run() {
        begun = false;
        give();
        run.count(received, handled);
        parts.forEach(Part::end);
        parts.clear();
        int waiting = given;
        received = 0;
        handled = 0;
        given = 0;
        MessageListenerInvoker last = worker;
        worker = null;
        if (run.settings().blocks()) {
            run.startThreads(waiting);
        } else {
            run.work(last);
        }
        run.leave();
    }
}
