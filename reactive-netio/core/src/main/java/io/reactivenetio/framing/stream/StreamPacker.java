// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.send.Appended;
import io.reactivenetio.send.FillResult;
import io.reactivenetio.send.MessagePage;
import io.reactivenetio.send.MessageSender;
import io.reactivenetio.send.SenderRotation;
import io.reactivenetio.send.WaitingMessage;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.TagPattern;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lays the messages of one stream in pages: whole where they fit, or else in parts, one page after the other, once the peer has
 * room for all of them. The page belongs to the {@link PageScheduler}, which has begun it before it calls here. On the loop.
 */
final class StreamPacker implements MessagePage {
    /** Messages of one stream before the others have their turn. */
    private static final int TURN = 64;
    private static final int TAG_AND_STATUS = Long.BYTES + Byte.BYTES;

    private final PageScheduler.Data stream;
    private final int id;
    /** Messages with this tag and status 0 need not say so, where {@link #sparing}. */
    private final long ownTag;
    private final boolean sparing;
    private final SenderRotation senders;
    private final OutControlFrames control;
    private final FragmentWriter part;
    private final PageScheduler pages;
    private final FrameWriter writer;
    private final RoomAtPeer room;
    private final int largestMessage;
    private final ConnectionCounters counters;
    private boolean needsRoom;

    /** {@code stream} is made ready when the peer may have room for a message that waits for it. */
    StreamPacker(SendContext context, PageScheduler.Data stream, int id, @Nullable TagPattern pattern, SenderRotation senders,
            OutControlFrames control) {
        this.stream = stream;
        this.id = id;
        this.ownTag = pattern == null ? 0 : pattern.tag();
        this.sparing = pattern == null || pattern.kind() == TagPattern.Kind.EXACT;
        this.senders = senders;
        this.control = control;
        this.part = new FragmentWriter(context.room());
        this.pages = context.pages();
        this.writer = pages.writer();
        this.room = context.room();
        this.largestMessage = context.largestMessage();
        this.counters = context.connection().counters();
    }

    // ---- a message of which not all is in a page

    boolean isWithinMessage() {
        return part.isOpen();
    }

    /** Whose message that is; null if it is none, or that of the source. */
    @Nullable MessageSender<?> senderWithinMessage() {
        return part.sender();
    }

    /** It will not go on, and no other waits for room. Its room at the peer is free when the peer knows: {@link #release}. */
    void giveUp() {
        part.forget();
        room.leave(stream);
    }

    void release() {
        part.release();
    }

    // ---- a turn of the stream

    /** Puts what the source has, or without one what the senders have, into the page, as far as the peer wants it. */
    FillResult fill(@Nullable GuardedSource source) {
        boolean needed = needsRoom;
        needsRoom = false;
        FillResult filled = source != null ? fillFrom(source) : fillFromSenders();
        needsRoom |= needed && filled != FillResult.IDLE;
        if (needed && !needsRoom) {
            room.leave(stream);
        }
        return filled;
    }

    private FillResult fillFromSenders() {
        if (part.isOpen() && !continuePart()) {
            return FillResult.FULL;
        }
        FillResult filled = senders.fill(this, TURN);
        return part.isOpen() ? FillResult.FULL : filled; // it goes on in the next page
    }

    private FillResult fillFrom(GuardedSource source) {
        if (control.isNumberDue()) {
            return FillResult.IDLE; // its control frame comes first, and that may have to wait for a credit
        }
        if (part.isOpen() && !continuePart()) {
            return FillResult.FULL;
        }
        for (int left = TURN; left > 0; left--) {
            if (control.isEnding()) {
                return FillResult.IDLE; // it has failed when it was polled
            }
            SharedMessage message = source.peek(senders.demand() > 0);
            if (message == null) {
                return FillResult.IDLE;
            }
            int bytes = message.payload().remaining();
            if (bytes > largestMessage) {
                source.refuse("a message of " + bytes + " bytes; the peer takes at most " + largestMessage);
                return FillResult.IDLE;
            }
            @Nullable FillResult stopped = write(message, source);
            if (stopped != null) {
                return stopped;
            }
        }
        return FillResult.TURN;
    }

    // ---- messages of senders

    /** What does not fit has to be copied once more: who answers at once is not asked for more than fits. */
    @Override
    public long fits(MessageSender<?> sender) {
        if (part.isOpen()) {
            return 0;
        }
        if (!sender.answersAtOnce() || sender.largest() > pages.largestWhole()) {
            return Long.MAX_VALUE;
        }
        return Math.max(writer.wholesThatFit(id, sender.largest()), writer.hasData() ? 0 : 1);
    }

    @Override
    public Appended append(long tag, int status, ByteBuffer payload) {
        if (whole(tag, status, payload)) {
            return Appended.WHOLE;
        }
        int bytes = payload.remaining();
        return bytes <= pages.largestWhole() ? Appended.NOT : appendParts(tag, status, payload, bytes);
    }

    /** A message that fits no page goes into one page after the other, as long as others need not come first. */
    private Appended appendParts(long tag, int status, ByteBuffer payload, int bytes) {
        if (!room.reserve(bytes, stream)) {
            return Appended.NOT;
        }
        ByteBuffer rest = payload.duplicate();
        if (!beginParts(tag, status, rest, bytes)) {
            return Appended.NOT;
        }
        while (rest.hasRemaining()) {
            senders.countAppended(this); // they are in the page that goes now
            if (!pages.nextPage()) {
                MessageSender<?> sender = Objects.requireNonNull(senders.asking());
                WaitingMessage copy = part.copy(tag, status, rest);
                sender.begin(copy);
                senders.useDemand();
                part.begin(copy.data(), bytes, sender);
                return Appended.BEGUN;
            }
            writer.nextPart(id, rest);
        }
        room.release(bytes);
        return Appended.WHOLE;
    }

    @Override
    public void appended(MessageSender<?> sender, int messages, long bytes) {
        control.countSent(messages);
        counters.countSent(messages, bytes);
    }

    @Override
    public @Nullable FillResult write(MessageSender<?> sender, WaitingMessage message) {
        if (part.isOpen()) {
            return FillResult.FULL;
        }
        long tag = message.tag();
        int status = message.status();
        ByteBuffer payload = message.data();
        int bytes = payload.remaining();
        if (whole(tag, status, payload)) {
            sender.take();
            senders.useDemand();
            written(sender, bytes);
            return null;
        }
        FillResult refused = reserve(tag, status, bytes);
        if (refused != null) {
            return refused;
        }
        if (beginParts(tag, status, payload, bytes)) {
            sender.take();
            partsBegun(payload, bytes, sender);
        }
        return FillResult.FULL;
    }

    // ---- messages of a source

    /** Null if it is in the page whole. */
    private @Nullable FillResult write(SharedMessage message, GuardedSource source) {
        long tag = message.tag();
        int status = message.status();
        ByteBuffer payload = message.payload();
        int bytes = payload.remaining();
        if (whole(tag, status, payload)) {
            source.take();
            senders.useDemand();
            written(null, bytes);
            return null;
        }
        FillResult refused = reserve(tag, status, bytes);
        if (refused != null) {
            return refused;
        }
        ByteBuffer rest = payload.duplicate(); // other streams send the same message
        if (beginParts(tag, status, rest, bytes)) {
            source.take();
            partsBegun(rest, bytes, null);
        }
        return FillResult.FULL;
    }

    // ---- frames

    /** Writes a whole message; false if it does not fit. */
    private boolean whole(long tag, int status, ByteBuffer payload) {
        return isPlain(tag, status) ? writer.message(id, payload) : writer.message(id, tag, status, payload);
    }

    private boolean isPlain(long tag, int status) {
        return sparing && status == 0 && tag == ownTag;
    }

    /** Reserves room for a message that fits no page. Why it cannot be begun now, or null if it can. */
    private @Nullable FillResult reserve(long tag, int status, int bytes) {
        boolean plain = isPlain(tag, status);
        if (bytes <= pages.largestWhole() - (plain ? 0 : TAG_AND_STATUS)) {
            return FillResult.FULL;
        }
        if (!room.reserve(bytes, stream)) {
            needsRoom = true;
            return FillResult.IDLE; // called back when other messages have ended
        }
        return null;
    }

    /** Writes the first part of a message that has room. False if not even that fits: then the room is free again. */
    private boolean beginParts(long tag, int status, ByteBuffer rest, int bytes) {
        if (firstPart(tag, status, rest) < 0) {
            room.release(bytes);
            return false;
        }
        return true;
    }

    private int firstPart(long tag, int status, ByteBuffer rest) {
        return isPlain(tag, status) ? writer.firstPart(id, rest) : writer.firstPart(id, tag, status, rest);
    }

    private void partsBegun(ByteBuffer rest, int bytes, @Nullable MessageSender<?> sender) {
        senders.useDemand();
        part.begin(rest, bytes, sender);
        senders.advance();
    }

    /** False if the page is full. */
    private boolean continuePart() {
        MessageSender<?> sender = part.sender();
        int bytes = part.write(writer, id);
        if (bytes < 0) {
            return false;
        }
        written(sender, bytes);
        return true;
    }

    /** A message is in pages whole; {@code sender} is null if it is the source's. */
    private void written(@Nullable MessageSender<?> sender, int bytes) {
        if (sender != null) {
            senders.written(sender, bytes);
        }
        control.countSent(1);
        counters.countSent(1, bytes);
    }
}
