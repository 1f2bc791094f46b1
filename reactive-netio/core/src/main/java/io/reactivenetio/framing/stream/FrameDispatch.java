// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import io.reactivenetio.wire.CreditWindow;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameType;
import io.reactivenetio.wire.ProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the peer's pages and gives each frame to the stream or tracker that it is for. The backend owns a page's buffer again
 * when {@link #read} returns, unless a message in the page is kept. On the loop, within the backend's callback.
 */
final class FrameDispatch {
    private final FrameReader frame;
    private final CreditWindow credits;
    private final CreditReturns held;
    private final InStreams ins;
    private final OutStreams outs;
    private final PingTracker pings;
    private final SessionEnd end;
    /** The object for the next page; null if a message of the page before is kept. */
    private @Nullable Page spare;

    FrameDispatch(FrameReader frame, CreditWindow credits, CreditReturns held, InStreams ins, OutStreams outs,
            PingTracker pings, SessionEnd end) {
        this.frame = frame;
        this.credits = credits;
        this.held = held;
        this.ins = ins;
        this.outs = outs;
        this.pings = pings;
        this.end = end;
    }

    void read(ReceivedBuffer buffer) throws ProtocolException {
        frame.begin(buffer.data());
        credits.received(frame.isDataPage(), frame.dataCredits(), frame.controlCredits());
        Page page = spare;
        if (page == null) {
            page = new Page(held, buffer, frame.isDataPage());
        } else {
            page.begin(buffer, frame.isDataPage());
            spare = null;
        }
        try {
            while (end.goesOn() && frame.next()) {
                if (frame.type() == FrameType.DATA) {
                    ins.require(frame.stream(), "a message").onData(frame, page); // and those of its stream behind it
                } else {
                    onControl();
                }
            }
        } finally {
            if (page.leave()) {
                spare = page;
            }
        }
    }

    private void onControl() throws ProtocolException {
        int id = frame.stream();
        switch (frame.type()) {
            case COMPLETE -> ins.require(id, "a completion").onComplete(frame.value());
            case ERROR -> onError(id);
            case SUBSCRIBE -> outs.subscribe(id, frame.tags(), frame.policy());
            case REQUEST -> outs.request(id, frame.value());
            case CANCEL -> outs.cancel(id);
            case PING -> pings.onPing(frame.value());
            case PONG -> pings.onPong(frame.value());
            case SUBSCRIBED -> ins.require(id, "a number").onSubscribed(frame.value(), frame.run());
            case QUEUED -> ins.require(id, "a number").onQueued((int) frame.value(), frame.capacity());
            case DROPPED -> ins.require(id, "a number").onDropped(frame.value());
            default -> throw new IllegalStateException("no case for " + frame.type()); // nor is DATA a control frame
        }
    }

    private void onError(int id) throws ProtocolException {
        String text = frame.text() + " (code " + frame.value() + ")";
        if (id == FrameType.CONNECTION) {
            end.peerGaveUp(frame.value(), text);
            return;
        }
        boolean answer = frame.value() == StreamError.CANCELLED.code();
        ins.require(id, "an error").end(new NetioStreamException(
                answer ? "the peer cancelled the stream" : "the peer's stream failed: " + text, (int) frame.value()));
    }
}
