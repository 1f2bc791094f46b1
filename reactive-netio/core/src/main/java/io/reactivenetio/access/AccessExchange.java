// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.exceptions.NetioAuthenticationException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.wire.AccessMessage;
import io.reactivenetio.wire.Handshake;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * The messages between the handshakes of a connection and its first page, with which a client shows who it is. Each is read while
 * it is in its receive buffer, which the peer has again at once. What arrives behind the last one is for the connection, and
 * stays where it is until this side's own messages have left, because their completions are not the connection's.
 *
 * <p>On the loop. What takes long is done by {@code workers}.
 */
public abstract class AccessExchange implements BackendCallbacks {
    /** How long a refusal may take to reach the client, which closes the connection then. */
    private static final long LAST_WORDS_NANOS = 500_000_000;

    /** Who waits for it. On the loop. */
    public interface Listener {
        /**
         * The connection can be made.
         *
         * @param peer who the client is; null at the client
         * @param early what has arrived for the connection, which is the listener's to release
         */
        void admitted(@Nullable Principal peer, List<ReceivedBuffer> early);

        /** The connection is over. */
        void refused(NetioException reason);
    }

    private final Carrier carrier;
    private final EventLoop loop;
    private final Scheduler workers;
    private final Listener listener;
    private final ArrayDeque<AccessMessage> unsent = new ArrayDeque<>();
    private final List<ReceivedBuffer> early = new ArrayList<>();
    private @Nullable Disposable working;
    private @Nullable DelayedTask limit;
    private @Nullable Principal peer;
    private @Nullable NetioException failure;
    private int inFlight;
    private boolean isDecided;
    private boolean isOver;

    AccessExchange(Carrier carrier, EventLoop loop, Scheduler workers, Listener listener) {
        this.carrier = carrier;
        this.loop = loop;
        this.workers = workers;
        this.listener = listener;
    }

    /**
     * Begins the exchange of a connection that has just been established.
     *
     * @param own the parameters of this side, with what it has said first
     * @param most how long it may take
     */
    public static void begin(Carrier carrier, EventLoop loop, Scheduler workers, Access access, ConnectionParameters own,
            Duration most, Listener listener) {
        byte[] here = Arrays.copyOf(own.data().bytes(), Handshake.SIZE);
        byte[] there = Arrays.copyOf(carrier.endpoint().peerData().bytes(), Handshake.SIZE); // some providers add zeros
        NetioAuthenticator authenticator = access.authenticator();
        AccessExchange exchange = authenticator != null
                ? new ServerExchange(carrier, loop, workers, authenticator, access.delays(), here, there, listener)
                : new ClientExchange(carrier, loop, workers, Objects.requireNonNull(access.credentials()), there, here,
                        largest(own, there), listener);
        exchange.begin(most);
    }

    /** The bytes of the largest message that this side can send and the peer receive, whose handshake has been checked. */
    private static int largest(ConnectionParameters own, byte[] peer) {
        try {
            return Math.min(own.sendBufferSize(), Handshake.decode(ByteBuffer.wrap(peer)).pageSize());
        } catch (ProtocolException e) {
            throw new NetioProtocolException("a handshake that was good before: " + e.getMessage(), e);
        }
    }

    private void begin(Duration most) {
        String late = "who connects on " + endpoint() + " was not proven within " + Durations.millis(most) + " ms";
        limit = loop.schedule(() -> fail(new NetioAuthenticationException(late, null)), Durations.nanos(most),
                TimeUnit.NANOSECONDS);
        carrier.callbacks().accept(this);
        try {
            started();
        } catch (RejectedExecutionException e) {
            fail(new NetioAuthenticationException("no thread to look at who connects", e));
        }
    }

    /** The first step. */
    abstract void started();

    /** The peer has said something. */
    abstract void received(AccessMessage message) throws ProtocolException;

    final Endpoint endpoint() {
        return carrier.endpoint();
    }

    final Carrier carrier() {
        return carrier;
    }

    final Scheduler workers() {
        return workers;
    }

    /** Ends {@code task} if the connection ends first. */
    final void awaits(Disposable task) {
        working = task;
    }

    /** Runs {@code step} on the loop, unless the connection is over by then. Any thread. */
    final void onLoop(Runnable step) {
        try {
            loop.execute(() -> unlessOver(step));
        } catch (RejectedExecutionException e) {
            return; // the loop has ended, and closed the connection
        }
    }

    /** Runs {@code step} after a while, unless the connection is over by then. */
    final void later(long nanos, Runnable step) {
        try {
            loop.schedule(() -> unlessOver(step), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return; // the loop ends, and closes the connection
        }
    }

    private void unlessOver(Runnable step) {
        if (!isOver && failure == null) {
            step.run();
        }
    }

    final void say(AccessMessage message) {
        unsent.add(message);
        flush();
    }

    private void flush() {
        while (!unsent.isEmpty() && !isOver) {
            SendBuffer buffer = carrier.backend().getBuffer(endpoint());
            if (buffer == null) {
                return; // onResourcesAvailable follows
            }
            byte[] bytes = unsent.element().encode();
            buffer.write(bytes, 0, bytes.length);
            inFlight++; // a completion may come from within
            SendStatus status = carrier.backend().sendBuffer(endpoint(), buffer, SendCompletion.TRANSMITTED);
            if (status != SendStatus.OK) {
                inFlight--;
            }
            if (status == SendStatus.NO_RESOURCES) {
                buffer.release();
                return;
            }
            unsent.poll();
        }
    }

    /** All is well. The connection is made when this side's messages have left. */
    final void admit(@Nullable Principal shown) {
        peer = shown;
        isDecided = true;
        finishIfSent();
    }

    private void finishIfSent() {
        if (isDecided && inFlight == 0 && unsent.isEmpty() && !isOver && failure == null) {
            end();
            try {
                listener.admitted(peer, List.copyOf(early));
            } catch (Throwable t) { // a hook of the user's: that ends the connection, whoever called this
                carrier.backend().closeActiveEndpoint(endpoint());
                throw t;
            }
        }
    }

    private void end() {
        isOver = true;
        if (limit != null) {
            limit.cancel();
        }
        if (working != null) {
            working.dispose();
        }
    }

    /** Gives the connection up. */
    final void fail(NetioException reason) {
        if (failure == null && !isOver) {
            failure = reason;
            carrier.backend().closeActiveEndpoint(endpoint());
        }
    }

    /** Tells the client that it is refused, and gives the connection up when the client has closed it, or after a while. */
    final void refuse(String told, NetioException reason) {
        say(new AccessMessage.Refused(told));
        failure = reason;
        try {
            loop.schedule(() -> carrier.backend().closeActiveEndpoint(endpoint()), LAST_WORDS_NANOS, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return; // the loop ends, and closes the connection
        }
    }

    @Override
    public final void onData(Endpoint here, ReceivedBuffer buffer) {
        if (isOver || failure != null) {
            return;
        }
        if (isDecided) {
            buffer.retain();
            early.add(buffer);
            return;
        }
        try {
            received(AccessMessage.decode(buffer.data()));
        } catch (ProtocolException e) {
            fail(new NetioProtocolException("no connection with " + here + ": " + e.getMessage(), e));
        }
    }

    @Override
    public final void onSendCompleted(Endpoint here, SendKind kind, long key) {
        inFlight--;
        finishIfSent();
    }

    @Override
    public final void onResourcesAvailable(Endpoint here) {
        flush();
        finishIfSent();
    }

    @Override
    public final void onConnectionClosed(Endpoint here, List<SendKey> cancelled, @Nullable NetioException cause) {
        if (isOver) {
            return;
        }
        end();
        early.forEach(ReceivedBuffer::release);
        listener.refused(failure != null ? failure : new NetioAuthenticationException("the connection with " + here
                + " ended before it was known who connects", cause));
    }
}
