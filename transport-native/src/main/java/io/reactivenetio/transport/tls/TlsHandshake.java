// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS handshake of one connection, and the greetings behind it: the first sealed message of each side repeats what that side
 * has said before anything was sealed. It is done when the peer's greeting has arrived. Each side knows then that the other one
 * has accepted it, and that nobody has changed what was said in the clear. docs/wire-format.md has the bytes.
 *
 * <p>Workers do what takes long, and what reads files or random numbers: they make the engine, and do all that it does until the
 * greetings. While one has the engine, nobody else touches it, nor what has arrived. Everything else is done on the loop.
 */
final class TlsHandshake {
    private final Endpoint endpoint;
    private final EventLoop loop;
    private final Executor workers;
    private final LateEngine engine;
    private final SealedSends sends;
    private final OpenedReceives receives;
    private final Consumer<@Nullable SSLException> onWorked;
    /** What has arrived while a worker had the engine. */
    private final ArrayDeque<ReceivedBuffer> early = new ArrayDeque<>();
    /** What the engine has said on a worker, and has not been sent. */
    private final ArrayDeque<ByteBuffer> said = new ArrayDeque<>();
    private volatile boolean isWorking;
    private boolean hasBegun;
    private boolean hasGreeted;
    /** Whether the peer's greeting is open: nothing is opened behind it before it is checked. */
    private boolean isGreeted;
    private boolean isDone;
    /** Whether the backend's connection is over. A worker reads it when the loop has ended. */
    private volatile boolean isGone;
    private boolean isOver;

    /** {@code onWorked} is called when a worker is done, with what failed. */
    TlsHandshake(Endpoint endpoint, EventLoop loop, Executor workers, LateEngine engine, SealedSends sends,
            OpenedReceives receives, Consumer<@Nullable SSLException> onWorked) {
        this.endpoint = endpoint;
        this.loop = loop;
        this.workers = workers;
        this.engine = engine;
        this.sends = sends;
        this.receives = receives;
        this.onWorked = onWorked;
    }

    /** The peer has gone: what it has said is listened to, and nothing is answered. */
    void gone() {
        isGone = true;
    }

    /** Whether a worker has the engine. */
    boolean isWorking() {
        return isWorking;
    }

    boolean isDone() {
        return isDone;
    }

    /** Takes over the caller's reference to what has arrived. */
    void take(ReceivedBuffer sealed) {
        if (isWorking) {
            early.add(sealed);
        } else {
            receives.take(sealed);
        }
    }

    /** Goes one step on. False if there is nothing to do now, or all is done. */
    boolean advance() throws SSLException {
        if (isWorking) {
            return false;
        }
        if (isGone) {
            said.clear();
        } else if (!said.isEmpty()) {
            return sends.sendOwn(said);
        }
        HandshakeStatus status = hasBegun ? engine.get().getHandshakeStatus() : HandshakeStatus.NEED_TASK;
        boolean wants = status == HandshakeStatus.NEED_TASK || status == HandshakeStatus.NEED_WRAP;
        if (!wants && !hasGreeted && !isGone && status == HandshakeStatus.NOT_HANDSHAKING) {
            hasGreeted = sends.greet();
            return hasGreeted;
        }
        if (!wants && isGreeted) {
            checkGreeting();
            isDone = true;
            return true;
        }
        if (!wants && receives.isEnded()) {
            throw new SSLException("the peer has ended the handshake");
        }
        if (wants || receives.hasArrived()) {
            isWorking = true;
            try {
                workers.execute(this::work);
            } catch (RejectedExecutionException e) {
                isWorking = false;
                throw new SSLException("no thread for the handshake", e);
            }
        }
        return false;
    }

    /** Does what can be done now. On a worker. */
    private void work() {
        List<ByteBuffer> messages = new ArrayList<>();
        SSLException failed = null;
        boolean greeted = false;
        try {
            if (!hasBegun) {
                engine.begin();
            }
            boolean goesOn = true;
            while (goesOn) {
                switch (engine.get().getHandshakeStatus()) {
                    case NEED_TASK -> engine.get().getDelegatedTask().run();
                    case NEED_WRAP -> {
                        ByteBuffer message = ByteBuffer.allocate(SealedSizes.RECORD_ROOM);
                        engine.get().wrap(ByteBuffer.allocate(0), message);
                        goesOn = message.position() > 0; // or the engine is closed
                        if (goesOn) {
                            messages.add(message.flip());
                        }
                    }
                    default -> {
                        OpenedReceives.Step step = isGreeted ? OpenedReceives.Step.NONE : receives.next();
                        greeted = step == OpenedReceives.Step.OPEN;
                        goesOn = (step == OpenedReceives.Step.ENGINE || step == OpenedReceives.Step.OWN) && !receives.isEnded();
                    }
                }
            }
        } catch (SSLException e) {
            failed = e;
        } catch (RuntimeException | Error e) { // a trust manager of the user's, for one
            failed = new SSLException(String.valueOf(e), e);
        }
        SSLException reason = failed;
        boolean open = greeted;
        try {
            loop.execute(() -> worked(messages, open, reason));
        } catch (RejectedExecutionException e) { // the loop ends: it closes the connection, or has done so and waits for this
            isWorking = false;
            if (isGone) {
                onWorked.accept(new SSLException("the event loop has ended", e));
            }
        }
    }

    private void worked(List<ByteBuffer> messages, boolean greeted, @Nullable SSLException failed) {
        isWorking = false;
        hasBegun = true;
        isGreeted |= greeted;
        said.addAll(messages);
        early.forEach(receives::take);
        early.clear();
        if (isOver) {
            receives.close();
        } else {
            onWorked.accept(failed);
        }
    }

    /** What was said in the clear has to be what the peer says now. Providers may have added zeros. */
    private void checkGreeting() throws SSLException {
        ByteBuffer message = receives.opened().duplicate().flip();
        int bytes = message.limit() - SealedSizes.KIND;
        if (message.get(bytes) != SealedSizes.GREETING) {
            throw new SSLException("a message before the greeting");
        }
        ByteBuffer clear = ByteBuffer.wrap(endpoint.peerData().bytes());
        boolean same = clear.remaining() >= bytes && clear.slice(0, bytes).equals(message.limit(bytes));
        for (int i = bytes; same && i < clear.limit(); i++) {
            same = clear.get(i) == 0;
        }
        if (!same) {
            throw new SSLException("what the peer said before the TLS handshake was changed on its way");
        }
        receives.forget();
    }

    /** The connection is over. What arrived and is not open is dropped, now or when the worker has done with it. */
    void end() {
        isOver = true;
        if (!isWorking) {
            early.forEach(receives::take);
            early.clear();
            receives.close();
        }
    }
}
