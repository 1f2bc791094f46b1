// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import io.reactivenetio.wire.FrameType;
import io.reactivenetio.wire.ProtocolException;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/**
 * Why a connection with streams ends. It tells the peer the reason first, where that is possible, and fails those who wait for
 * something that the connection ends before. On the loop, unless said otherwise.
 */
final class SessionEnd {
    private static final LogBudget LOG = LogBudget.of(SessionEnd.class);
    private static final int LAST_WORD_MILLIS = 100;

    private final Connection connection;
    private final PageScheduler pages;
    private final Set<MonoSink<Void>> waiting = Collections.synchronizedSet(new LinkedHashSet<>());
    private @Nullable NetioException failure;
    private @Nullable String gone;

    SessionEnd(Connection connection, PageScheduler pages) {
        this.connection = connection;
        this.pages = pages;
    }

    /** Whether this side has decided to end the connection. Nothing that arrives counts any more then. */
    boolean isDecided() {
        return failure != null;
    }

    /** Whether the connection goes on, and what arrives still counts. */
    boolean goesOn() {
        return failure == null && !connection.isDisposed();
    }

    /** What has become of the connection; null as long as it exists. */
    @Nullable String gone() {
        return gone;
    }

    /** Fails {@code sink} if the connection ends before the sink does. */
    void whenClosed(MonoSink<Void> sink) {
        waiting.add(sink);
        sink.onDispose(() -> waiting.remove(sink));
    }

    // ---- what ends it

    /** Ends the connection, because the peer broke the rules. */
    void breakOff(ProtocolException e) {
        giveUp(StreamError.BROKEN_RULES.code(), String.valueOf(e.getMessage()), new NetioProtocolException(connection.endpoint()
                + " broke the rules: " + e.getMessage(), e));
    }

    /** Ends the connection, because it has most of the memory that all connections of this loop may use, and others need some. */
    void exceeded(String why) {
        LOG.warn("{} is given up: {}", connection.endpoint(), why);
        giveUp(StreamError.LIMIT.code(), why,
                new NetioAbortedException(connection.endpoint() + " was given up: " + why, 0, null));
    }

    /**
     * Ends the connection, because this side shuts down, and runs {@code then}. If all credits for control frames are on their
     * way back, it waits for one, but not for long: without it the peer would not be told why.
     */
    void shutDown(Runnable then) {
        shutDown(then, LAST_WORD_MILLIS);
    }

    private void shutDown(Runnable then, int patienceMillis) {
        if (failure == null && gone == null && !pages.maySendControl() && patienceMillis > 0) {
            try {
                connection.loop().schedule(() -> shutDown(then, patienceMillis - 1), 1, TimeUnit.MILLISECONDS);
                return;
            } catch (RejectedExecutionException terminating) {
                // there is no time left
            }
        }
        giveUp(StreamError.SHUT_DOWN.code(), "it closes its connections", new NetioAbortedException(connection.endpoint()
                + " was closed here, by a shutdown", 0, null));
        then.run();
    }

    /** Ends the connection, because a page could not be written. */
    void pageLost(Throwable why) {
        fail(new NetioAbortedException("a page for " + connection.endpoint() + " could not be written: "
                + UserCode.text(why), 0, why));
    }

    /** Ends the connection, because the peer has said that it does. */
    void peerGaveUp(long code, String text) {
        fail(givenUp(code, text));
    }

    /** The error for what the peer has said. Another connection may do better, unless the rules were broken. */
    private static NetioException givenUp(long code, String text) {
        if (code == StreamError.SHUT_DOWN.code()) {
            return new NetioAbortedException("the peer shuts down: " + text, 0, null);
        }
        String what = "the peer gave the connection up: " + text;
        return code == StreamError.LIMIT.code()
                ? new NetioAbortedException(what, 0, new NetioStreamException(text, StreamError.LIMIT))
                : new NetioProtocolException(what, null);
    }

    /** Tells the peer the reason, and closes the connection. */
    private void giveUp(int code, String text, NetioException reason) {
        if (failure == null && gone == null) {
            failure = reason;
            pages.add(writer -> writer.error(FrameType.CONNECTION, code, text));
            pages.run();
            connection.loop().atEndOfTurn(this::close); // the backend may post the page at the end of this turn only
        }
    }

    /** Closes the connection without telling the peer. */
    void fail(NetioException reason) {
        if (failure == null && gone == null) {
            failure = reason;
            close();
        }
    }

    private void close() {
        connection.backend().closeActiveEndpoint(connection.endpoint());
    }

    // ---- when it has ended

    /**
     * Notes that the connection is over, and returns why. {@code what} is what the backend saw; if this side has decided to end
     * the connection, that was only its own closing.
     */
    String closed(String what) {
        String why = failure != null ? String.valueOf(failure.getMessage()) : what;
        gone = why;
        return why;
    }

    /** The reason for which this side has ended the connection, or else {@code cause}, which is the backend's. */
    @Nullable NetioException reason(@Nullable NetioException cause) {
        return failure != null ? failure : cause;
    }

    /** Fails those who wait, each with an error of its own. */
    void failWaiting(@Nullable NetioException reason, String why) {
        List.copyOf(waiting).forEach(sink -> tell(() -> sink.error(Connection.aborted(reason, why))));
    }

    /** Runs {@code end}, and reports what it throws: a subscriber that throws at its end must not keep the others from theirs. */
    void tell(Runnable end) {
        try {
            end.run();
        } catch (Throwable t) {
            connection.loop().report(t);
        }
    }
}
