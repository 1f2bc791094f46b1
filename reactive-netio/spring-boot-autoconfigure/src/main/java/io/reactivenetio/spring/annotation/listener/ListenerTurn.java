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
final class ListenerTurn implements MessageStream.Receiver, PendingMessage.Counter, Runnable {
    private final MessageListenerRun run;
    private final NetioConnection connection;
    private final PeerScope peer;
    private final List<MessageStream> streams = new ArrayList<>();
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

    @Override
    public void add(Message message, MessageStream stream) {
        if (Thread.currentThread() == thread && (begun || begin())) {
            take(message, stream);
        } else {
            run.add(message, stream, peer);
        }
    }

    private void take(Message message, MessageStream stream) {
        received++;
        if (stream.beginsTurn()) {
            streams.add(stream);
        }
        if (run.isAborted()) {
            run.giveUp(message);
            return;
        }
        PendingMessage work = new PendingMessage(message, stream, peer);
        if (run.settings().blocks() || !work(work)) {
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
    private boolean work(PendingMessage message) {
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
        message.turn = this;
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

    @Override
    public void done(MessageStream stream, boolean wasHandled) {
        stream.doneInTurn();
        handled += wasHandled ? 1 : 0;
    }

    /** The loop has told all messages that it had. */
    @Override
    public void run() {
        begun = false;
        give();
        run.count(received, handled);
        streams.forEach(MessageStream::endsTurn);
        streams.clear();
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
