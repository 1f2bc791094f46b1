// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.send.Appended;
import io.reactivenetio.send.FillResult;
import io.reactivenetio.send.MessagePage;
import io.reactivenetio.send.MessageSender;
import io.reactivenetio.send.SenderRotation;
import io.reactivenetio.send.WaitingMessage;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.TagPattern;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stream that the peer receives: asks the upstreams of its senders for no more than the peer has asked for, and puts what they
 * give into pages, one message of each in turn. On the loop.
 */
final class OutStream implements PageScheduler.Control, MessagePage, StreamSourcePort {
    static final int CANCELLED = 1;
    static final int SOURCE_FAILED = 2;
    static final int NOT_SERVED = 3;
    static final int LIMIT = 4;

    /** Messages of one stream before the others have their turn. */
    private static final int TURN = 64;
    private static final int TAG_AND_STATUS = Long.BYTES + Byte.BYTES;

    private final StreamSession session;
    private final int id;
    private final @Nullable TagPattern pattern;
    /** Messages with this tag and status 0 need not say so, where {@link #sparing}. */
    private final long ownTag;
    private final boolean sparing;
    private final FragmentWriter part;
    private final SenderRotation senders = new SenderRotation();
    private final List<Runnable> whenEnded = new ArrayList<>();
    private long sent;
    private boolean ready;
    private boolean needsRoom;
    private @Nullable FrameWriter page;
    private boolean completing;
    private boolean ending;
    private int endCode;
    private String endText = "";
    private boolean ended;
    private boolean queued;
    /** What serves it, instead of senders. */
    private @Nullable StreamSource feed;
    /** What was polled of that, and is in no page yet. */
    private @Nullable SharedMessage next;
    private boolean numberDue;
    private long number;
    private long droppedDue;

    /** {@code pattern} is null for stream 0. */
    OutStream(StreamSession session, int id, @Nullable TagPattern pattern) {
        this.session = session;
        this.id = id;
        this.part = new FragmentWriter(session);
        this.pattern = pattern;
        this.ownTag = pattern == null ? 0 : pattern.tag();
        this.sparing = pattern == null || pattern.kind() == TagPattern.Kind.EXACT;
    }

    int id() {
        return id;
    }

    @Nullable TagPattern pattern() {
        return pattern;
    }

    /** Whether nothing more can be sent on it. */
    boolean isEnding() {
        return ending || completing;
    }

    /** Whether that is so because the peer wants no more. */
    boolean isCancelled() {
        return endCode == CANCELLED;
    }

    /** Whether what serves it has no end of its own; of stream 0, which nobody serves, whether nobody here sends on it. */
    boolean isEndless() {
        return feed != null ? feed.isEndless() : id == 0 && senders.isEmpty() && !completing;
    }

    // ---- senders

    void add(MessageSender<?> sender) {
        senders.add(sender);
        changed(sender);
    }

    /** Something of it has changed. That it has nothing more needs no credit for data. */
    void changed(MessageSender<?> sender) {
        makeReady();
        if (page == null && sender.isDrained()) {
            settle();
        }
    }

    /** It has its turn in the next page that there are credits for. */
    void makeReady() {
        if (!ready && !ended) {
            ready = true;
            session.pages().addReady(this);
        }
    }

    /** Complete after all that the senders have, unless it ends already. */
    @Override
    public void complete() {
        completing = true;
        settle();
    }

    /** Calls back when the peer knows that it has ended, however that was; never, if it never will. */
    void whenKnown(Runnable then) {
        if (ended) {
            session.confirmations().await(then);
        } else {
            whenEnded.add(then);
        }
    }

    /** Whether somebody waits for that. */
    boolean isAwaited() {
        return !whenEnded.isEmpty();
    }

    /** Ends it now, within a message if need be. */
    @Override
    public void fail(int code, String text) {
        if (!ending && !ended) {
            ending = true;
            endCode = code;
            endText = text;
            part.forget();
            session.roomAtPeer().leave(this);
            queueControl();
            endFeed();
            senders.end(code == CANCELLED ? "the peer wants no more of " + this : this + " has failed", null);
        }
    }

    private void queueControl() {
        if (!queued) {
            queued = true;
            session.pages().add(this);
        }
    }

    // ---- a feed instead of senders

    void serve(StreamSource source) {
        GuardedSource safe = new GuardedSource(source, this);
        feed = safe;
        safe.open(this);
        if (senders.demand() > 0) { // it was open before
            safe.requested(senders.demand());
            makeReady();
        }
    }

    @Override
    public EventLoop loop() {
        return session.connection().loop();
    }

    @Override
    public void ready() {
        makeReady();
    }

    @Override
    public void numbered(long first) {
        number = first;
        numberDue = true;
        queueControl();
    }

    @Override
    public void dropped(long n) {
        if (!ending && !ended) {
            droppedDue += n;
            queueControl();
        }
    }

    private void endFeed() {
        StreamSource served = feed;
        feed = null;
        next = null;
        if (served != null) {
            served.closed();
        }
    }

    /** Puts what the feed has, and the peer wants, into the page. */
    private FillResult fillFrom(StreamSource served, FrameWriter writer) {
        if (numberDue) {
            return FillResult.IDLE; // its control frame comes first, and that may have to wait for a credit
        }
        if (part.isOpen() && !continuePart(writer)) {
            return FillResult.FULL;
        }
        for (int left = TURN; left > 0; left--) {
            if (ending) {
                return FillResult.IDLE; // it has failed when it was polled
            }
            if (next == null) {
                next = senders.demand() == 0 ? null : served.poll();
            }
            SharedMessage message = next;
            if (message == null) {
                return FillResult.IDLE;
            }
            int bytes = message.payload().remaining();
            if (bytes > session.peer().maxMessage()) {
                fail(LIMIT, "a message of " + bytes + " bytes; the peer takes at most " + session.peer().maxMessage());
                return FillResult.IDLE;
            }
            @Nullable FillResult stopped = write(writer, null, message.tag(), message.status(), message.payload());
            if (stopped != null) {
                return stopped;
            }
        }
        return FillResult.TURN;
    }

    private boolean writeNumber(FrameWriter writer) {
        if (numberDue) {
            if (!writer.subscribed(id, number)) {
                return false;
            }
            numberDue = false;
            makeReady();
        }
        return true;
    }

    @Override
    public Appended append(long tag, int status, ByteBuffer payload) {
        FrameWriter writer = page;
        if (writer == null) {
            return Appended.NOT;
        }
        if (whole(writer, tag, status, payload)) {
            return Appended.WHOLE;
        }
        int bytes = payload.remaining();
        return bytes <= session.pages().largestWhole() ? Appended.NOT : appendParts(writer, tag, status, payload, bytes);
    }

    /** A message that fits no page goes into one page after the other, as long as others need not come first. */
    private Appended appendParts(FrameWriter writer, long tag, int status, ByteBuffer payload, int bytes) {
        if (!session.roomAtPeer().reserve(bytes, this)) {
            return Appended.NOT;
        }
        ByteBuffer rest = payload.duplicate();
        if (firstPart(writer, tag, status, rest) < 0) {
            session.roomAtPeer().release(bytes);
            return Appended.NOT;
        }
        while (rest.hasRemaining()) {
            senders.countAppended(this); // they are in the page that goes now
            if (!session.pages().nextPage()) {
                MessageSender<?> sender = Objects.requireNonNull(senders.asking());
                WaitingMessage copy = part.copy(tag, status, rest);
                sender.begin(copy);
                senders.useDemand();
                part.begin(copy.data(), bytes, sender);
                return Appended.BEGUN;
            }
            writer.nextPart(id, rest);
        }
        session.roomAtPeer().release(bytes);
        return Appended.WHOLE;
    }

    private int firstPart(FrameWriter writer, long tag, int status, ByteBuffer rest) {
        return isPlain(tag, status) ? writer.firstPart(id, rest) : writer.firstPart(id, tag, status, rest);
    }

    @Override
    public void appended(MessageSender<?> sender, int messages, long bytes) {
        sent += messages;
        session.connection().counters().countSent(messages, bytes);
    }

    /** A whole message; false if it does not fit. */
    private boolean whole(FrameWriter writer, long tag, int status, ByteBuffer payload) {
        return isPlain(tag, status) ? writer.message(id, payload) : writer.message(id, tag, status, payload);
    }

    private boolean isPlain(long tag, int status) {
        return sparing && status == 0 && tag == ownTag;
    }

    /** A message is in pages whole; {@code sender} is null if it is the feed's. */
    private void written(@Nullable MessageSender<?> sender, int bytes) {
        if (sender != null) {
            senders.written(sender, bytes);
        }
        sent++;
        session.connection().counters().countSent(1, bytes);
    }

    // ---- what the peer wants

    void request(long n) {
        senders.request(n);
        if (feed != null) {
            feed.requested(n);
        }
        makeReady();
    }

    void cancel() {
        if (ending || ended) {
            return; // its end is on its way
        }
        fail(CANCELLED, "cancelled");
    }

    // ---- pages

    /** Puts what there is into the page. */
    FillResult fill(FrameWriter writer) {
        ready = false;
        if (ending || ended) {
            return FillResult.IDLE;
        }
        page = writer;
        boolean needed = needsRoom;
        needsRoom = false;
        try {
            StreamSource served = feed;
            FillResult filled = served != null ? fillFrom(served, writer) : fillPage(writer);
            needsRoom |= needed && filled != FillResult.IDLE;
            if (needed && !needsRoom) {
                session.roomAtPeer().leave(this);
            }
            return filled;
        } finally {
            page = null;
            settle();
        }
    }

    private FillResult fillPage(FrameWriter writer) {
        if (part.isOpen() && !continuePart(writer)) {
            return FillResult.FULL;
        }
        FillResult filled = senders.fill(this, TURN);
        return part.isOpen() ? FillResult.FULL : filled; // it goes on in the next page
    }

    /** What does not fit has to be copied once more: who answers at once is not asked for more than fits. */
    @Override
    public long fits(MessageSender<?> sender) {
        FrameWriter writer = page;
        if (writer == null || part.isOpen()) {
            return 0;
        }
        if (!sender.answersAtOnce() || sender.largest() > session.pages().largestWhole()) {
            return Long.MAX_VALUE;
        }
        return Math.max(writer.wholesThatFit(id, sender.largest()), writer.hasData() ? 0 : 1);
    }

    @Override
    public @Nullable FillResult write(MessageSender<?> sender, WaitingMessage message) {
        return part.isOpen() ? FillResult.FULL
                : write(Objects.requireNonNull(page), sender, message.tag(), message.status(), message.data());
    }

    /** A message of the sender, or of the feed if that is null; null if it is in the page whole. */
    private @Nullable FillResult write(FrameWriter writer, @Nullable MessageSender<?> sender, long tag, int status,
            ByteBuffer payload) {
        int bytes = payload.remaining();
        if (whole(writer, tag, status, payload)) {
            taken(sender);
            written(sender, bytes);
            return null;
        }
        boolean plain = isPlain(tag, status);
        if (bytes <= session.pages().largestWhole() - (plain ? 0 : TAG_AND_STATUS)) {
            return FillResult.FULL;
        }
        if (!session.roomAtPeer().reserve(bytes, this)) {
            needsRoom = true;
            return FillResult.IDLE; // called back when other messages have ended
        }
        ByteBuffer rest = sender == null ? payload.duplicate() : payload; // that of a sender is its own
        if (firstPart(writer, tag, status, rest) < 0) {
            session.roomAtPeer().release(bytes);
            return FillResult.FULL;
        }
        taken(sender);
        part.begin(rest, bytes, sender);
        senders.advance();
        return FillResult.FULL;
    }

    /** The message is in a page, or its first part is. */
    private void taken(@Nullable MessageSender<?> sender) {
        if (sender != null) {
            sender.take();
        } else {
            next = null;
        }
        senders.useDemand();
    }

    /** False if the page is full. */
    private boolean continuePart(FrameWriter writer) {
        MessageSender<?> sender = part.sender();
        int bytes = part.write(writer, id);
        if (bytes < 0) {
            return false;
        }
        written(sender, bytes);
        return true;
    }

    /** Lets go of senders that have nothing more, and completes the stream after the last. */
    private void settle() {
        if (senders.settle(part.sender())) {
            makeReady();
        }
        if (completing && !ending && !ended && senders.isEmpty() && !part.isOpen() && next == null) {
            ending = true;
            queueControl();
        }
    }

    /** Its number, what was dropped, its end. */
    @Override
    public boolean write(FrameWriter writer) {
        if (!ended) {
            if (!writeNumber(writer) || droppedDue > 0 && !writer.dropped(id, droppedDue)) {
                return false;
            }
            droppedDue = 0;
            if (ending && !writeEnd(writer)) {
                return false;
            }
        }
        queued = false;
        return true;
    }

    private boolean writeEnd(FrameWriter writer) {
        boolean complete = endCode == 0;
        if (!(complete ? writer.complete(id, sent) : writer.error(id, endCode, endText))) {
            return false;
        }
        ended = true;
        part.release();
        endFeed();
        session.leave(this);
        whenEnded.forEach(session.confirmations()::await);
        whenEnded.clear();
        return true;
    }

    /** The connection is over. */
    void close(String what, @Nullable Throwable cause) {
        ended = true;
        endFeed();
        senders.end(what, cause);
    }

    @Override
    public String toString() {
        return pattern == null ? "the stream" : "stream " + Integer.toUnsignedString(id);
    }
}
