// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendLayer;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioTlsException;
import io.reactivenetio.transport.exceptions.NoBuffersAllocatedException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one connection, between it and its backend. A message of the backend is one or more TLS records, and is opened as a
 * whole to one message of the connection, or to none if the records are the engines' own. So nothing is put together from pieces,
 * and all that the framing says of messages, credits and delivery stays as it is.
 *
 * <p>The end of a connection without the peer's close_notify is an error, because nobody knows what is missing. This side sends
 * its own when it closes, and waits for it to leave for a moment.
 *
 * <p>On the loop. What takes long, such as checking certificates, is done by {@code workers}.
 */
public final class TlsLayer extends BackendLayer {
    /** How long a close waits until the close_notify or the alert has left. */
    private static final long LAST_WORDS_NANOS = 500_000_000;

    /** What waits to be said, an alert, and a close_notify. */
    private static final int MOST_LAST_WORDS = 4;

    /** Who waits for the handshake. On the loop. */
    public interface Listener {
        /** The connection can be made. It has to tell {@code layer} of its callbacks. */
        void secured(TlsLayer layer);

        /** The connection is over. */
        void refused(NetioException reason);
    }

    private enum State {
        /** The peer's greeting has not arrived. */
        GREETING,
        OPEN,
        /** Nothing more is sent or received, but last words. */
        CLOSING,
        OVER
    }

    private final Endpoint endpoint;
    private final EventLoop loop;
    private final LateEngine engine;
    private final ConnectionParameters plain;
    private final boolean freshHandles;
    private final Listener listener;
    private final SealedSends sends;
    private final OpenedReceives receives;
    private final TlsHandshake handshake;
    private BackendCallbacks above = BackendCallbacks.NONE;
    private State state = State.GREETING;
    private boolean isRunning;
    private boolean again;
    /** Whether the backend's connection is over. */
    private boolean isGone;
    private boolean closedHere;
    /** Whether the end has been told: by the loop, or by a worker when the loop has ended. */
    private final AtomicBoolean told = new AtomicBoolean();
    private List<SendKey> cancelled = List.of();
    private @Nullable NetioException brokenBy;
    private @Nullable NetioException failure;
    private @Nullable DelayedTask limit;

    private TlsLayer(NetworkBackend backend, Endpoint endpoint, EventLoop loop, Executor workers, LateEngine engine,
            ConnectionParameters plain, boolean freshHandles, Listener listener) {
        super(backend);
        this.endpoint = endpoint;
        this.loop = loop;
        this.engine = engine;
        this.plain = plain;
        this.freshHandles = freshHandles;
        this.listener = listener;
        sends = new SealedSends(backend, endpoint, loop, engine, plain);
        try {
            receives = new OpenedReceives(loop, engine, plain, this::run);
        } catch (OutOfMemoryError e) {
            sends.close(List.of());
            throw e;
        }
        handshake = new TlsHandshake(endpoint, loop, workers, engine, sends, receives, this::worked);
    }

    /**
     * Begins the handshake of a connection that has just been established.
     *
     * @param backend that of {@code endpoint}, which was opened with {@link SealedSizes#of} the parameters
     * @param plain the parameters that the connection above asked for
     * @param freshHandles whether each message has a handle of its own, see {@link BackendCallbacks#reusesHandles}
     * @param most how long the handshake may take
     */
    public static void begin(NetworkBackend backend, Endpoint endpoint, EventLoop loop, Executor workers, EngineSource engine,
            ConnectionParameters plain, boolean freshHandles, Duration most, Listener listener) {
        TlsLayer layer = new TlsLayer(backend, endpoint, loop, workers, new LateEngine(engine), plain, freshHandles,
                listener);
        try {
            layer.limit = loop.schedule(() -> layer.fail(new NetioTlsException("the TLS handshake with " + endpoint
                    + " took longer than " + Durations.millis(most) + " ms; does the other side have TLS?", null)),
                    Durations.nanos(most), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) { // the loop ends
            layer.receives.close();
            layer.sends.close(List.of());
            throw e;
        }
        endpoint.callbacks(layer);
        layer.run();
    }

    /** The callbacks of the connection from now on. */
    public void callbacks(BackendCallbacks connection) {
        above = connection;
    }

    @Override
    protected BackendCallbacks above() {
        return above;
    }

    /** Who the peer is, and which protocol and cipher suite are in use. */
    public SSLSession session() {
        return engine.get().getSession();
    }

    // ---- the engine

    /** Does all that can be done now. What a user's callback throws ends the connection. */
    private void run() {
        if (isRunning) {
            again = true;
            return;
        }
        isRunning = true;
        try {
            do {
                again = false;
                advance();
            } while (again);
        } catch (SSLException e) {
            fail(broken(e));
        } catch (NetioException e) {
            fail(e);
        } catch (RuntimeException | Error t) {
            loop.report(t);
            fail(new NetioException("a callback of " + endpoint + " failed: " + t, t));
        } finally {
            isRunning = false;
        }
    }

    private void advance() throws SSLException {
        boolean goesOn = true;
        while (goesOn && state == State.GREETING) {
            goesOn = handshake.advance();
            if (handshake.isDone()) {
                secured();
                if (isGone) {
                    makeRoomForAll();
                }
            }
        }
        while (goesOn && state == State.OPEN) {
            goesOn = advanceOpen();
        }
    }

    /** One step of an open connection. False if there is nothing to do now. */
    private boolean advanceOpen() throws SSLException {
        HandshakeStatus status = engine.get().getHandshakeStatus();
        if (status == HandshakeStatus.NEED_TASK) {
            throw new SSLException("the peer wants to negotiate anew, which is not supported");
        }
        if (status == HandshakeStatus.NEED_WRAP) { // new keys
            if (!isGone) {
                return sends.sendOwn(SendCompletion.TRANSMITTED);
            }
            sends.dropOwn();
        }
        OpenedReceives.Step step = receives.next();
        if (step == OpenedReceives.Step.OPEN) {
            deliver();
        }
        if (receives.isEnded()) { // it closes, and will not read what is sent now
            shut();
        }
        return step != OpenedReceives.Step.NONE && step != OpenedReceives.Step.NO_BUFFER;
    }

    /** A worker has done what could be done. */
    private void worked(@Nullable SSLException failed) {
        if (failed == null) {
            run();
        } else {
            fail(broken(failed));
        }
        if (isGone) {
            finish();
        }
    }

    private void secured() {
        state = State.OPEN;
        stopLimit();
        ListenEndpoint accepting = endpoint.listenEndpoint();
        if (accepting != null) {
            accepting.turns().succeeded(endpoint.remoteAddress());
        }
        listener.secured(this);
    }

    private void deliver() throws SSLException {
        ByteBuffer message = receives.opened();
        if (message.get(message.position() - SealedSizes.KIND) != SealedSizes.DATA) {
            throw new SSLException("a second greeting");
        }
        if (plain.receiveBuffers() == 0) {
            throw new NetioTlsException("a message from " + endpoint + ", which was opened without receive buffers", null);
        }
        ReceivedBuffer received = receives.message(freshHandles);
        try {
            above.onData(endpoint, received);
        } finally {
            received.release();
        }
    }

    private NetioTlsException broken(SSLException e) {
        String reason = String.valueOf(e.getMessage());
        String hint = reason.contains("nrecognized SSL message") || reason.equals("an empty message")
                ? ": does the other side have TLS? Configure secure(…) on both sides or on none" : "";
        String where = (handshake.isDone() ? "TLS with " : "no TLS connection with ") + endpoint;
        return new NetioTlsException(where + ": " + reason + hint, e);
    }

    // ---- the end

    private void fail(NetioException cause) {
        if (state == State.GREETING || state == State.OPEN) {
            failure = cause;
            shut();
        }
    }

    /** Sends the last words, and closes the backend's connection when they have left. */
    private void shut() {
        if (state != State.GREETING && state != State.OPEN) {
            return;
        }
        state = State.CLOSING;
        stopLimit();
        if (isGone) {
            return;
        }
        if (!handshake.isWorking() && engine.isMade()) {
            sayLastWords();
        }
        sends.stop();
        if (sends.isSendingOwn() && !receives.isEnded()) { // a peer that has closed does not listen
            try {
                limit = loop.schedule(() -> below().closeActiveEndpoint(endpoint), LAST_WORDS_NANOS, TimeUnit.NANOSECONDS);
                return;
            } catch (RejectedExecutionException e) { // the loop ends
                stopLimit();
            }
        }
        below().closeActiveEndpoint(endpoint);
    }

    private void sayLastWords() {
        try {
            engine.get().closeOutbound();
            boolean said = true;
            for (int i = 0; i < MOST_LAST_WORDS && said && !engine.get().isOutboundDone(); i++) {
                said = sends.sendOwn(SendCompletion.DELIVERED); // or a close would overtake it
            }
        } catch (SSLException e) {
            return; // it has said what it could
        }
    }

    private void stopLimit() {
        DelayedTask running = limit;
        if (running != null) {
            running.cancel();
            limit = null;
        }
    }

    @Override
    public void closeActiveEndpoint(Endpoint closed) {
        closedHere |= state == State.GREETING || state == State.OPEN;
        shut();
    }

    @Override
    public void onConnectionClosed(Endpoint here, List<SendKey> unsent, @Nullable NetioException cause) {
        isGone = true;
        cancelled = unsent;
        brokenBy = cause;
        sends.stop();
        handshake.gone();
        if (state == State.OPEN) {
            makeRoomForAll();
        }
        run();
        finish();
    }

    /** Tells the end, when all has been listened to that the peer has said. */
    private void finish() {
        if (state == State.GREETING && handshake.isWorking() || !told.compareAndSet(false, true)) {
            return;
        }
        stopLimit();
        boolean cut = brokenBy == null && failure == null && !closedHere && !receives.isEnded();
        NetioException reason = failure != null ? failure : cut && handshake.isDone() ? cutOff() : brokenBy;
        state = State.OVER;
        handshake.end();
        List<SendKey> users = sends.close(cancelled);
        if (handshake.isDone()) {
            above.onConnectionClosed(endpoint, users, reason);
        } else {
            listener.refused(reason != null && !cut ? reason
                    : new NetioTlsException("the TLS handshake with " + endpoint + " was cut off", brokenBy));
        }
    }

    private NetioTlsException cutOff() {
        return new NetioTlsException(endpoint + " ended without the peer's close_notify: what it sent last may be missing", null);
    }

    private void makeRoomForAll() {
        try {
            receives.makeRoomForAll();
        } catch (OutOfMemoryError e) {
            failure = new NetioTlsException("no memory to open the last messages of " + endpoint, e);
        }
    }

    // ---- what is sent and received

    @Override
    public @Nullable SendBuffer getBuffer(Endpoint of) {
        if (plain.sendBuffers() == 0) {
            throw new NoBuffersAllocatedException(of + " was opened without send buffers");
        }
        return sends.lend();
    }

    @Override
    public SendStatus sendBuffer(Endpoint to, SendBuffer buffer, SendCompletion level) {
        if (!(buffer instanceof PlainBuffer message) || !message.isOf(sends)) {
            return SendStatus.FAILED;
        }
        try {
            return sends.send(message, level);
        } catch (SSLException e) {
            fail(broken(e));
            return SendStatus.OK; // the end tells that it was not sent
        }
    }

    @Override
    public SendStatus sendZeroCopy(Endpoint to, GatherList message, long key, SendCompletion level) {
        if (plain.region() == null) {
            throw new NotSupportedException(to + " was opened without a region");
        }
        try {
            return sends.send(message, key, level);
        } catch (SSLException e) {
            fail(broken(e));
            return SendStatus.OK; // the end tells that it was not sent
        }
    }

    @Override
    public SendStatus sendCopy(Endpoint to, ByteBuffer data) {
        throw new NotSupportedException("sendCopy over TLS");
    }

    @Override
    public int freeSendBuffers(Endpoint of) {
        return sends.free();
    }

    /** Returns the connection's free buffers, and not the backend's: the connection sees each message that takes one. */
    @Override
    public int creditsPosted(Endpoint of) {
        return receives.free();
    }

    @Override
    public void onData(Endpoint here, ReceivedBuffer sealed) {
        if (state == State.OVER) {
            return;
        }
        sealed.retain(); // while it closes, too: what nobody reads must not make room for more, which the peer took for delivered
        handshake.take(sealed);
        run();
    }

    @Override
    public void onSendCompleted(Endpoint here, SendKind kind, long key) {
        sends.completed((int) key, above);
        if (state == State.CLOSING && !sends.isSendingOwn()) {
            stopLimit();
            below().closeActiveEndpoint(endpoint);
        }
    }

    @Override
    public void onResourcesAvailable(Endpoint here) {
        sends.resume();
        run();
        if (state == State.OPEN) {
            above.onResourcesAvailable(here);
        }
    }
}
