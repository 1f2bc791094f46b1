// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.TagPattern;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/**
 * A stream that the peer receives: asks the upstreams of its senders for no more than the peer has asked for, and puts what they
 * give into pages, one message of each in turn. On the loop.
 */
final class OutStream implements OutPages.Control, FeedPort {
    static final int CANCELLED = 1;
    static final int SOURCE_FAILED = 2;
    static final int NOT_SERVED = 3;
    static final int LIMIT = 4;

    /** Messages of one stream before the others have their turn. */
    private static final int TURN = 64;
    /** Elements that one of several senders may be asked for although others have been asked for all the peer wants. */
    private static final int AHEAD = 8;
    private static final int TAG_AND_STATUS = Long.BYTES + Byte.BYTES;

    private final StreamTraffic traffic;
    private final int id;
    private final @Nullable TagPattern pattern;
    /** Messages with this tag and status 0 need not say so, where {@link #sparing}. */
    private final long ownTag;
    private final boolean sparing;
    private final OutPart part;
    private final List<StreamSender<?>> senders = new ArrayList<>();
    private final List<Runnable> whenEnded = new ArrayList<>();
    /** Whose turn it is among the senders, also in the next page. */
    private int first;
    /** What the peer has asked for and is in no page yet; Long.MAX_VALUE is without end. */
    private long demand;
    /** What the upstreams of all senders were asked for and is in no page yet. */
    private long promised;
    private long sent;
    private boolean ready;
    private boolean needsRoom;
    private @Nullable StreamSender<?> asking;
    private @Nullable FrameWriter page;
    private boolean completing;
    private boolean ending;
    private int endCode;
    private String endText = "";
    private boolean ended;
    private boolean queued;
    /** What serves it, instead of senders. */
    private @Nullable Feed feed;
    /** What was polled of that, and is in no page yet. */
    private @Nullable OutMessage next;
    private boolean numberDue;
    private long number;
    private long droppedDue;

    /** {@code pattern} is null for stream 0. */
    OutStream(StreamTraffic traffic, int id, @Nullable TagPattern pattern) {
        this.traffic = traffic;
        this.id = id;
        this.part = new OutPart(traffic);
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

    void add(StreamSender<?> sender) {
        senders.add(sender);
        changed(sender);
    }

    /** Something of it has changed. That it has nothing more needs no credit for data. */
    void changed(StreamSender<?> sender) {
        makeReady();
        if (page == null && sender.isDrained()) {
            settle();
        }
    }

    /** It has its turn in the next page that there are credits for. */
    void makeReady() {
        if (!ready && !ended) {
            ready = true;
            traffic.pages().addReady(this);
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
            traffic.confirmations().await(then);
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
            traffic.roomAtPeer().leave(this);
            queueControl();
            endFeed();
            endSenders(code == CANCELLED ? "the peer wants no more of " + this : this + " has failed", null);
        }
    }

    private void queueControl() {
        if (!queued) {
            queued = true;
            traffic.pages().add(this);
        }
    }

    // ---- a feed instead of senders

    void serve(Feed source) {
        SafeFeed safe = new SafeFeed(source, this);
        feed = safe;
        safe.open(this);
        if (demand > 0) { // it was open before
            safe.requested(demand);
            makeReady();
        }
    }

    @Override
    public EventLoop loop() {
        return traffic.connection().loop();
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
        Feed served = feed;
        feed = null;
        next = null;
        if (served != null) {
            served.closed();
        }
    }

    /** Puts what the feed has, and the peer wants, into the page. */
    private OutPages.Filled fillFrom(Feed served, FrameWriter writer) {
        if (numberDue) {
            return OutPages.Filled.IDLE; // its control frame comes first, and that may have to wait for a credit
        }
        if (part.isOpen() && !continuePart(writer)) {
            return OutPages.Filled.FULL;
        }
        for (int left = TURN; left > 0; left--) {
            if (ending) {
                return OutPages.Filled.IDLE; // it has failed when it was polled
            }
            if (next == null) {
                next = demand == 0 ? null : served.poll();
            }
            OutMessage message = next;
            if (message == null) {
                return OutPages.Filled.IDLE;
            }
            int bytes = message.payload().remaining();
            if (bytes > traffic.peer().maxMessage()) {
                fail(LIMIT, "a message of " + bytes + " bytes; the peer takes at most " + traffic.peer().maxMessage());
                return OutPages.Filled.IDLE;
            }
            OutPages.@Nullable Filled stopped = write(writer, null, message);
            if (stopped != null) {
                return stopped;
            }
        }
        return OutPages.Filled.TURN;
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

    /** An element of the sender that is being asked, straight into the page; false if it has to wait. */
    boolean direct(StreamSender<?> sender, long tag, int status, ByteBuffer payload) {
        FrameWriter into = page;
        if (sender != asking || into == null || part.isOpen() || demand == 0 || !whole(into, tag, status, payload)) {
            return false;
        }
        useDemand();
        written(sender, payload.remaining());
        return true;
    }

    /** A whole message; false if it does not fit. */
    private boolean whole(FrameWriter writer, long tag, int status, ByteBuffer payload) {
        return isPlain(tag, status) ? writer.message(id, payload) : writer.message(id, tag, status, payload);
    }

    private boolean isPlain(long tag, int status) {
        return sparing && status == 0 && tag == ownTag;
    }

    /** A message is in pages whole; {@code sender} is null if it is the feed's. */
    private void written(@Nullable StreamSender<?> sender, int bytes) {
        if (sender != null) {
            promised--;
            sender.written(bytes);
        }
        sent++;
        traffic.connection().counters().countSent(bytes);
    }

    // ---- what the peer wants

    void request(long n) {
        demand = Operators.addCap(demand, n);
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

    private void endSenders(String what, @Nullable Throwable cause) {
        List<StreamSender<?>> left = List.copyOf(senders);
        senders.clear();
        left.forEach(sender -> sender.end(what, cause));
    }

    // ---- pages

    /** Puts what there is into the page. */
    OutPages.Filled fill(FrameWriter writer) {
        ready = false;
        if (ending || ended) {
            return OutPages.Filled.IDLE;
        }
        page = writer;
        boolean needed = needsRoom;
        needsRoom = false;
        try {
            Feed served = feed;
            OutPages.Filled filled = served != null ? fillFrom(served, writer) : fillPage(writer);
            needsRoom |= needed && filled != OutPages.Filled.IDLE;
            if (needed && !needsRoom) {
                traffic.roomAtPeer().leave(this);
            }
            return filled;
        } finally {
            page = null;
            settle();
        }
    }

    private OutPages.Filled fillPage(FrameWriter writer) {
        if (part.isOpen() && !continuePart(writer)) {
            return OutPages.Filled.FULL;
        }
        int left = TURN;
        int idle = 0; // senders one after the other that have nothing
        while (demand > 0 && idle < senders.size()) {
            first = first < senders.size() ? first : 0;
            StreamSender<?> sender = senders.get(first);
            long before = sent;
            if (sender.peek() == null) {
                if (writer.hasData() && sender.fits(writer, id) == 0) {
                    return OutPages.Filled.FULL;
                }
                ask(sender, writer);
            }
            OutMessage message = demand > 0 ? sender.peek() : null;
            OutPages.@Nullable Filled stopped = message == null ? null : write(writer, sender, message);
            if (stopped != null) {
                first += part.isOpen() ? 1 : 0; // else it is the first in the next page
                return stopped;
            }
            if (ending) {
                return OutPages.Filled.IDLE; // an upstream has ended the stream when it was asked
            }
            first++;
            if (message == null && sent == before) {
                idle++;
            } else if (--left > 0) {
                idle = 0;
            } else {
                return OutPages.Filled.TURN;
            }
        }
        return OutPages.Filled.IDLE;
    }

    /**
     * Has the sender ask its upstream, as far as the peer has asked for it and there is room. Who answers at once has to let the
     * others have their turn after one message; and who does not answer must not keep all the demand from them: each may be asked
     * for a few ahead, and what was too much waits.
     */
    private void ask(StreamSender<?> sender, FrameWriter writer) {
        long wanted = Math.max(demand - promised, Math.min(demand, AHEAD) - sender.unused());
        long fitting = senders.size() > 1 && sender.isPrompt() ? 1 : Math.max(1, sender.fits(writer, id));
        long n = Math.min(Math.min(sender.room(), wanted), fitting);
        if (n > 0) {
            promised += n;
            asking = sender;
            try {
                sender.request(n);
            } finally {
                asking = null;
            }
        }
    }

    /** A message of the sender, or of the feed if that is null; null if it is in the page whole. */
    private OutPages.@Nullable Filled write(FrameWriter writer, @Nullable StreamSender<?> sender, OutMessage message) {
        ByteBuffer payload = message.payload();
        int bytes = payload.remaining();
        if (whole(writer, message.tag(), message.status(), payload)) {
            taken(sender);
            written(sender, bytes);
            return null;
        }
        boolean plain = isPlain(message.tag(), message.status());
        if (bytes <= traffic.pages().largestWhole() - (plain ? 0 : TAG_AND_STATUS)) {
            return OutPages.Filled.FULL;
        }
        if (!traffic.roomAtPeer().reserve(bytes, this)) {
            needsRoom = true;
            return OutPages.Filled.IDLE; // called back when other messages have ended
        }
        ByteBuffer rest = payload.duplicate();
        if ((plain ? writer.firstPart(id, rest) : writer.firstPart(id, message.tag(), message.status(), rest)) < 0) {
            traffic.roomAtPeer().release(bytes);
            return OutPages.Filled.FULL;
        }
        taken(sender);
        part.begin(rest, bytes, sender);
        return OutPages.Filled.FULL;
    }

    /** The message is in a page, or its first part is. */
    private void taken(@Nullable StreamSender<?> sender) {
        if (sender != null) {
            sender.take();
        } else {
            next = null;
        }
        useDemand();
    }

    private void useDemand() {
        if (demand != Long.MAX_VALUE) {
            demand--;
        }
    }

    /** False if the page is full. */
    private boolean continuePart(FrameWriter writer) {
        StreamSender<?> sender = part.sender();
        int bytes = part.write(writer, id);
        if (bytes < 0) {
            return false;
        }
        written(sender, bytes);
        return true;
    }

    /** Lets go of senders that have nothing more, and completes the stream after the last. */
    private void settle() {
        for (int i = senders.size() - 1; i >= 0; i = Math.min(i, senders.size()) - 1) {
            StreamSender<?> sender = senders.get(i);
            if (part.sender() != sender && sender.isDrained()) {
                senders.remove(i);
                if (sender.unused() > 0) { // for the others
                    promised -= sender.unused();
                    makeReady();
                }
                sender.drained();
            }
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
        traffic.leave(this);
        whenEnded.forEach(traffic.confirmations()::await);
        whenEnded.clear();
        return true;
    }

    /** The connection is over. */
    void close(String what, @Nullable Throwable cause) {
        ended = true;
        endFeed();
        endSenders(what, cause);
    }

    @Override
    public String toString() {
        return pattern == null ? "the stream" : "stream " + Integer.toUnsignedString(id);
    }
}
