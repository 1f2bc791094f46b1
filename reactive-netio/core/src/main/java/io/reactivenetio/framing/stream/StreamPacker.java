// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.api.Tags;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.send.page.AppendResult;
import io.reactivenetio.send.page.FillResult;
import io.reactivenetio.send.page.MessagePage;
import io.reactivenetio.send.page.MessageSender;
import io.reactivenetio.send.page.SenderRotation;
import io.reactivenetio.wire.FrameWriter;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lays the messages of one stream in pages: whole if they fit, or else in parts, one page after the other, once the peer has room
 * for all of them. Payloads are copied into the page, whose buffer belongs to the {@link PageScheduler}. That has begun the page
 * before it calls here. On the loop.
 */
final class StreamPacker implements MessagePage {
    /** How many messages of one stream are written before the others have their turn. */
    private static final int TURN = 64;
    private static final int TAG_AND_STATUS = Long.BYTES + Byte.BYTES;

    private final PageScheduler.Data stream;
    private final int id;
    /** The tag that messages with status 0 leave out, if {@link #sparing}. */
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
    /** The run in which the source's messages are numbered; 0 if the peer is not told of it. */
    private long run;
    /** The number that the peer takes the source's next message for, in that run. */
    private long nextNumber;

    /** {@code stream} is made ready when the peer may have room for a message that waits for it. */
    StreamPacker(SendContext context, PageScheduler.Data stream, int id, @Nullable Tags tags, SenderRotation senders,
            OutControlFrames control) {
        this.stream = stream;
        this.id = id;
        this.ownTag = tags == null ? 0 : tags.first();
        this.sparing = tags == null || tags.isOne();
        this.senders = senders;
        this.control = control;
        this.part = new FragmentWriter(context.room(), context.copies());
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

    /** The sender of the message that is in pages in part; null if there is none, or if it is the source's. */
    @Nullable MessageSender<?> senderWithinMessage() {
        return part.sender();
    }

    /**
     * Gives up the message that is in pages in part, and stops waiting for room. Its room is free when the peer knows: see {@link
     * #release}.
     */
    void giveUp() {
        part.forget();
        room.leave(stream);
    }

    void release() {
        part.release();
    }

    /** Says that the source's next message has the number {@code next} in {@code inRun}, or in none if that is 0. */
    void numbered(long next, long inRun) {
        nextNumber = next;
        run = inRun;
    }

    // ---- a turn of the stream

    /**
     * Puts the messages of the source, or without a source those of the senders, into the page, as far as the peer has asked for
     * them.
     */
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
        return part.isOpen() ? FillResult.FULL : filled; // the message goes on in the next page
    }

    private FillResult fillFrom(GuardedSource source) {
        if (control.isNumberDue()) {
            return FillResult.IDLE; // the frame with the number comes first, and may have to wait for a credit
        }
        if (part.isOpen()) {
            if (!continuePart()) {
                return FillResult.FULL;
            }
            source.endParts();
        }
        for (int left = TURN; left > 0; left--) {
            if (control.isEnding()) {
                return FillResult.IDLE; // the stream ended when its source was polled
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
            @Nullable FillResult stopped = run == 0 ? write(message, source) : writeNumbered(message, source);
            if (stopped != null) {
                return stopped;
            }
        }
        return FillResult.TURN;
    }

    // ---- messages of senders

    /**
     * How many messages fit. An element that does not fit has to be copied once more, so a sender whose upstream answers at once
     * is not asked for more.
     */
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
    public AppendResult append(long tag, int status, ByteBuffer payload) {
        if (whole(tag, status, payload)) {
            return AppendResult.WHOLE;
        }
        int bytes = payload.remaining();
        return bytes <= pages.largestWhole() ? AppendResult.NOT : appendParts(tag, status, payload, bytes);
    }

    @Override
    public boolean isFollowing(long tag) {
        return isPlain(tag, 0) && writer.isFollowing(id);
    }

    @Override
    public boolean follow(ByteBuffer payload, int from, int bytes) {
        return writer.follow(payload, from, bytes);
    }

    /** Writes a message that fits no page into one page after the other, as long as no other frames have to come first. */
    private AppendResult appendParts(long tag, int status, ByteBuffer payload, int bytes) {
        if (!room.reserve(bytes, stream)) {
            return AppendResult.NOT;
        }
        ByteBuffer rest = payload.duplicate();
        if (!beginParts(tag, status, rest, bytes)) {
            return AppendResult.NOT;
        }
        while (rest.hasRemaining()) {
            senders.countAppended(this); // those that are in the page that is sent now
            if (!pages.nextPage()) {
                MessageSender<?> sender = Objects.requireNonNull(senders.asking());
                sender.begin();
                senders.useDemand();
                part.begin(part.copy(rest, bytes), bytes, sender);
                return AppendResult.BEGUN;
            }
            writer.nextPart(id, rest);
        }
        room.release(bytes);
        return AppendResult.WHOLE;
    }

    @Override
    public void appended(MessageSender<?> sender, int messages, long bytes) {
        control.countSent(messages);
        counters.countSent(messages, bytes);
    }

    @Override
    public @Nullable FillResult write(MessageSender<?> sender, long tag, int status, ByteBuffer payload) {
        if (part.isOpen()) {
            return FillResult.FULL;
        }
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

    /**
     * Writes a message that has a number. If some before it were left out, the peer is told how many were dropped, and its
     * number: by frames ahead of it in the same page, or, if not all fit, by ones that wait for a page as all control frames do.
     */
    private @Nullable FillResult writeNumbered(SharedMessage message, GuardedSource source) {
        long number = message.number();
        FillResult stopped;
        if (number == nextNumber) {
            stopped = write(message, source);
        } else {
            int mark = writer.mark();
            long dropped = control.droppedDue();
            boolean told = (dropped == 0 || writer.dropped(id, dropped)) && writer.subscribed(id, number, run);
            stopped = told ? write(message, source) : FillResult.FULL;
            if (!source.hasPolled()) {
                control.droppedWritten(dropped);
            } else { // the message is in no page
                writer.takeBack(mark);
                if (stopped == FillResult.FULL) {
                    nextNumber = number;
                    control.number(number, run);
                    return FillResult.IDLE; // made ready when that is written
                }
            }
        }
        if (!source.hasPolled()) {
            nextNumber = number + 1;
        }
        return stopped;
    }

    /** Writes a message of the source, and counts it. Returns null if it is in the page whole, or else why not. */
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
            source.begin();
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

    /** Reserves room for a message that fits no page. Returns null if it may begin, or else why not. */
    private @Nullable FillResult reserve(long tag, int status, int bytes) {
        boolean plain = isPlain(tag, status);
        if (bytes <= pages.largestWhole() - (plain ? 0 : TAG_AND_STATUS)) {
            return FillResult.FULL;
        }
        if (!room.reserve(bytes, stream)) {
            needsRoom = true;
            return FillResult.IDLE; // made ready when the peer may have room
        }
        return null;
    }

    /**
     * Writes the first part of a message that has room. If that does not fit, its room is free again, and the result is false.
     */
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

    /** Writes the next part of the message. Returns false if the page is full. */
    private boolean continuePart() {
        MessageSender<?> sender = part.sender();
        int bytes = part.write(writer, id);
        if (bytes < 0) {
            return false;
        }
        written(sender, bytes);
        return true;
    }

    /** Counts a message that is in pages whole; {@code sender} is null if it is the source's. */
    private void written(@Nullable MessageSender<?> sender, int bytes) {
        if (sender != null) {
            senders.written(sender, bytes);
        }
        control.countSent(1);
        counters.countSent(1, bytes);
    }
}
