// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.RepeatedDelay;
import io.reactivenetio.send.page.FillResult;
import io.reactivenetio.send.page.PageProgress;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.exceptions.StreamError;
import io.reactivenetio.wire.Agreement;
import io.reactivenetio.wire.CreditWindow;
import io.reactivenetio.wire.FrameWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes pages at the end of a turn: all control frames that wait, then the messages of the streams, in turn. So a page is as
 * full as the turn had messages, and does not wait for more. The scheduler stops where the peer's credits or the send buffers
 * end. It owns the buffer that it writes to, until the backend has taken it. On the loop.
 */
final class PageScheduler implements Runnable {
    private static final long RETRY_MICROS = 500;
    /** How long credits wait for a page that takes them along, unless half of them are owed. */
    private static final long RETURN_MICROS = 1_000;

    /** Control frames that wait for a page. */
    interface Control {
        /**
         * Writes the frames. Returns false if they do not fit, or not all of them; then the rest comes first in the next page.
         */
        boolean write(FrameWriter writer);
    }

    /** A stream whose messages wait for a page. */
    interface Data {
        /** Puts messages into the page that is being written. */
        FillResult fill();

        /** Gives the stream its turn in the next page that there are credits for. */
        void makeReady();

        /** Ends the stream at once, with the code of a {@code StreamError}. */
        void fail(int code, String text);
    }

    private final EventLoop loop;
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final Connection connection;
    private final CreditWindow credits;
    private final CreditReturns held;
    private final FrameWriter writer;
    private final PageProgress transmitted;
    private final int pageSize;
    private final Deque<Control> controls = new ArrayDeque<>();
    private final Deque<Data> ready = new ArrayDeque<>();
    private final Consumer<Throwable> broken;
    /** Returns credits soon, unless a page takes them along before. */
    private final RepeatedDelay creditReturn;
    private @Nullable SendBuffer spare;
    /** The buffer that is being filled or posted. */
    private @Nullable SendBuffer hand;
    private @Nullable SendBuffer refused;
    private boolean blocked;
    private boolean scheduled;
    private boolean retrying;
    private boolean creditsDue;
    private boolean closed;

    /** Calls {@code broken} when a page was lost: the peer would miss the frames in it. */
    PageScheduler(Connection connection, Agreement agreement, CreditWindow credits, CreditReturns held,
            Consumer<Throwable> broken) {
        this.connection = connection;
        this.loop = connection.loop();
        this.backend = connection.backend();
        this.endpoint = connection.endpoint();
        this.credits = credits;
        this.held = held;
        this.broken = broken;
        this.creditReturn = loop.repeatedDelay(this::returnCredits);
        this.writer = new FrameWriter(agreement.checksums());
        this.transmitted = new PageProgress(loop);
        this.pageSize = Math.min(connection.config().parameters().sendBufferSize(), agreement.peer().pageSize());
    }

    /** Whether a control frame could be sent now. */
    boolean maySendControl() {
        return !blocked && credits.maySendControl();
    }

    FrameWriter writer() {
        return writer;
    }

    /** The size of the largest message that is sent in one part. */
    int largestWhole() {
        return writer.largestWhole(pageSize);
    }

    PageProgress transmitted() {
        return transmitted;
    }

    /** How many pages were sent so far. */
    long pages() {
        return transmitted.next() - 1;
    }

    /** Has pages written at the end of this turn, because something has changed. */
    void schedule() {
        if (!scheduled && !closed) {
            scheduled = true;
            loop.atEndOfTurn(this);
        }
    }

    void add(Control control) {
        controls.add(control);
        schedule();
    }

    /** Adds a stream to those that wait for their turn. Called once until that turn. */
    void addReady(Data stream) {
        ready.add(stream);
        schedule();
    }

    /** Called when a page has left, and its send buffer is free. */
    void onSendCompleted() {
        transmitted.complete(transmitted.completed() + 1);
        onResourcesAvailable();
    }

    /** Called when a send buffer is free, or when messages that were to come first have had their turn. */
    void onResourcesAvailable() {
        if (blocked) {
            blocked = false;
            schedule();
        }
    }

    @Override
    public void run() {
        scheduled = false;
        if (closed) {
            return;
        }
        try {
            writePages();
        } catch (Throwable t) { // nothing should throw here; the send buffer has to come back if something does
            loop.report(t);
            lose(t);
        }
    }

    private void lose(Throwable why) {
        SendBuffer buffer = hand;
        hand = null;
        if (!closed) {
            broken.accept(why);
        }
        if (buffer != null) {
            buffer.release();
        }
    }

    private void writePages() {
        if (held.settle(credits, backend.creditsPosted(endpoint)) && !retrying) {
            scheduleRetry(); // a buffer is not posted yet: the provider was out of room
        }
        SendBuffer again = refused;
        if (again != null && !blocked) {
            refused = null;
            post(again);
        }
        while (!blocked && !closed && writePage()) {
        }
        boolean due = creditsDue;
        creditsDue = false;
        if (blocked || closed) {
            return;
        }
        if (credits.shouldReturn() || due && credits.shouldReturnSoon()) {
            SendBuffer buffer = take();
            if (buffer != null) {
                begin(buffer);
                finish(buffer);
            }
        } else if (!creditReturn.isArmed() && credits.shouldReturnSoon()) {
            creditReturn.arm(RETURN_MICROS, TimeUnit.MICROSECONDS);
        }
    }

    private void returnCredits() {
        creditsDue = true;
        schedule();
    }

    private void scheduleRetry() {
        try {
            loop.schedule(this::retry, RETRY_MICROS, TimeUnit.MICROSECONDS);
            retrying = true;
        } catch (RejectedExecutionException terminating) {
            // pages of the loop's last turns are still sent
        }
    }

    private void retry() {
        retrying = false;
        schedule();
    }

    /** Writes and sends one page. Returns false if there is nothing to send, or no way to send it. */
    private boolean writePage() {
        boolean data = !ready.isEmpty() && credits.maySendData();
        boolean control = credits.maySendControl();
        if (!data && (!control || controls.isEmpty())) {
            return false;
        }
        SendBuffer buffer = take();
        if (buffer == null) {
            return false;
        }
        begin(buffer);
        if (control) {
            writeControls();
        }
        if (data) {
            fill();
        }
        SendBuffer last = hand;
        return last == null || finishOrKeep(last);
    }

    /** Sends the page, or keeps its buffer for the next one if nothing is in it. Returns false if it was not sent. */
    private boolean finishOrKeep(SendBuffer buffer) {
        if (writer.hasData()) {
            writeControls(); // and those that came up while the streams were asked
        }
        if (closed) {
            hand = null;
            buffer.release();
            return false;
        }
        if (writer.isEmpty()) {
            hand = null;
            spare = buffer;
            return false;
        }
        finish(buffer);
        return true;
    }

    /**
     * Called by a stream within {@link Data#fill} whose message goes on. Sends the page, which is full, and begins another.
     * Returns false if frames of others have to come first, or if there is no credit or send buffer for another page.
     */
    boolean nextPage() {
        SendBuffer full = hand;
        if (full == null || closed || !ready.isEmpty() || !controls.isEmpty()) {
            return false;
        }
        finish(full);
        if (blocked || closed || !credits.maySendData()) {
            return false;
        }
        SendBuffer next = take();
        if (next == null) {
            return false;
        }
        begin(next);
        return true;
    }

    private @Nullable SendBuffer take() {
        SendBuffer buffer = spare;
        spare = null;
        if (buffer == null) {
            buffer = backend.getBuffer(endpoint);
            if (buffer == null) {
                blocked = true;
                connection.counters().countNoResources();
            }
        }
        hand = buffer;
        return buffer;
    }

    private void begin(SendBuffer buffer) {
        writer.begin(buffer.data().clear().limit(pageSize));
    }

    private void writeControls() {
        Control first;
        while ((first = controls.peek()) != null && first.write(writer)) {
            controls.remove();
        }
    }

    private void fill() {
        Data stream;
        while ((stream = ready.poll()) != null) {
            FillResult filled = fill(stream);
            if (filled != FillResult.IDLE) {
                stream.makeReady();
            }
            if (filled == FillResult.FULL) {
                return;
            }
        }
    }

    /**
     * Has the stream fill the page. If the user's code throws there, where none of ours is half done, only that stream fails; the
     * page and the other streams go on.
     */
    private FillResult fill(Data stream) {
        try {
            return stream.fill();
        } catch (Throwable t) {
            loop.report(t);
            stream.fail(StreamError.SOURCE_FAILED.code(), UserCode.text(t));
            return FillResult.IDLE;
        }
    }

    private void finish(SendBuffer buffer) {
        boolean data = writer.hasData();
        buffer.length(writer.finish(credits.owedData(), credits.owedControl()));
        credits.sent(data);
        transmitted.nextPage();
        post(buffer);
    }

    private void post(SendBuffer buffer) {
        hand = buffer;
        SendStatus status = backend.sendBuffer(endpoint, buffer, SendCompletion.TRANSMITTED);
        hand = null;
        if (status == SendStatus.NO_RESOURCES) {
            refused = buffer;
            connection.counters().countNoResources();
        }
        blocked = status != SendStatus.OK; // after a failure the closed callback follows
    }

    void close() {
        closed = true;
        controls.clear();
        ready.clear();
        if (spare != null) {
            spare.release();
            spare = null;
        }
        if (refused != null) {
            refused.release();
            refused = null;
        }
    }
}
