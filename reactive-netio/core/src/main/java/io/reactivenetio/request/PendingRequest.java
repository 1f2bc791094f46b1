// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.Deadline;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/**
 * A request, with the sink that waits for its answer. It owns its payload, a heap buffer, until that is sent or the request is
 * withdrawn. On the loop, unless said otherwise.
 */
final class PendingRequest {
    private final MonoSink<ByteBuffer> sink;
    /** Whether it has left its place: it was sent or cancelled, or there will be no answers. Set once, on any thread. */
    private final AtomicBoolean left = new AtomicBoolean();
    final int status;
    final @Nullable Deadline deadline;
    ByteBuffer payload;
    /** The exchange with the responder that it is under way with. */
    @Nullable Exchange exchange;
    boolean cancellable;
    long number;

    /** {@code payload} begins with headers if {@code status} says so. */
    PendingRequest(MonoSink<ByteBuffer> sink, int status, ByteBuffer payload, @Nullable Deadline deadline) {
        this.sink = sink;
        this.deadline = deadline;
        this.status = status;
        this.payload = payload;
    }

    /** Leaves its place. False if it had left before. Any thread. */
    boolean leave() {
        return !left.getAndSet(true);
    }

    /** Whether it has left its place. Any thread. */
    boolean hasLeft() {
        return left.get();
    }

    /** Ends with what the responder has answered. */
    void end(int answer, ByteBuffer said) {
        switch (answer) {
            case RequestProtocol.ANSWER -> sink.success(said);
            case RequestProtocol.EMPTY -> sink.success();
            case RequestProtocol.ERROR -> sink.error(new NetioStreamException("the responder failed: "
                    + RequestProtocol.text(said), StreamError.SOURCE_FAILED));
            default -> sink.error(deadline != null // CANCELLED: by the responder's clock, which may be faster than the own one
                    ? new TimeoutException("the deadline of the request is over")
                    : new NetioStreamException("the responder has cancelled the request", StreamError.CANCELLED));
        }
    }

    void fail(Throwable reason) {
        sink.error(reason);
    }
}
