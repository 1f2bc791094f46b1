// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Copies of messages that wait for the loop, one behind the other in pieces of memory. One thread at a time puts messages, and
 * the loop takes them. The pieces are used again, so nothing is allocated for a message.
 *
 * <p>A piece is owned by the thread that puts until that begins the next one, then by the loop, and by the former again once the
 * loop has looked at the first message of the next piece.
 *
 * <p>An upstream whose threads put at the same time, against §1.3, is told so in nearly all cases. The loop takes nothing of what
 * it finds then.
 */
final class WaitingMessages {
    /** Bytes of a piece where many messages wait. */
    static final int PIECE = 32 * 1024;
    /** A piece has room for so many times the messages that wait when it is begun, or for one. */
    private static final long GROWTH = 4;
    /** Bytes of pieces to be used again: what may wait, and what pieces have more than that. */
    private static final int KEPT = 2 * RequestWindow.BYTES;
    /** Pieces beyond this are given up if they are more than so many times too large. */
    private static final int LARGE = 256 * 1024;
    private static final int WASTE = 8;

    /**
     * How many bytes behind a message are written beforehand, a word in each cache line. The loop has read the piece before, so
     * these lines have to be fetched from its processor. The fence that follows each message waits for one line at a time; here
     * many are fetched together.
     */
    private static final int AHEAD = 4096;
    private static final int CACHE_LINE = 64;

    // a message: its length and its status, both an int, its tag, its payload, and up to 7 bytes more
    private static final int STATUS = Integer.BYTES;
    private static final int TAG = STATUS + Integer.BYTES;
    private static final int PAYLOAD = TAG + Long.BYTES;

    /**
     * What a thread writes for each message is in two cache lines of its own: two processors that take turns with a line wait
     * longer for it than all else takes.
     */
    private static final int APART = 16;
    /** Where the next message is put in its piece. */
    private static final int PUT_AT = APART;
    /** How many messages were put. */
    private static final int PUT = PUT_AT + 1;
    /** How many may be put before it has to be looked how many were taken. */
    private static final int MAY_PUT = PUT + 1;
    /** Whether a message is being put: 1, or 0. */
    private static final int PUTTING = MAY_PUT + 1;
    /** Where the bytes end that were written beforehand. */
    private static final int REACHED = PUTTING + 1;
    /** Where the next message is that the loop takes. */
    private static final int TAKE_AT = 2 * APART;
    private static final int TAKEN = TAKE_AT + 1;

    /** Why a message is refused, or a sender ends whose messages are not whole. */
    static final String OVERLAP = "§1.3: two threads of the upstream emit at the same time";

    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle END;

    static {
        try {
            END = MethodHandles.lookup().findVarHandle(Piece.class, "end", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final class Piece {
        final ByteBuffer bytes;
        /** The same bytes for the loop, which moves position and limit. */
        final ByteBuffer payload;
        /** Where the messages end that are here. */
        volatile int end;
        /** Set when no further message comes here. */
        volatile @Nullable Piece next;

        Piece(int capacity) {
            bytes = ByteBuffer.allocate(capacity).order(ByteOrder.nativeOrder());
            payload = bytes.duplicate();
        }
    }

    private final RequestWindow window;
    private final long[] numbers = new long[3 * APART];
    /** What the loop has finished with. */
    private final SpscVarHandleArrayQueue<Piece> spares = new SpscVarHandleArrayQueue<>(KEPT / PIECE);

    // of the thread that puts
    private Piece putting = new Piece(0);

    // of the loop
    private Piece taking = putting;
    private long followedBytes;
    private boolean torn;

    /** {@code window} has seen each message before it is put. */
    WaitingMessages(RequestWindow window) {
        this.window = window;
        numbers[MAY_PUT] = RequestWindow.MOST;
    }

    // ---- the thread that puts

    /**
     * Puts a copy. Returns null, or why not: there are {@link RequestWindow#MOST} messages, or another thread is putting one.
     */
    @Nullable String put(long tag, int status, ByteBuffer message) {
        if ((long) LONGS.getOpaque(numbers, PUTTING) != 0) {
            return OVERLAP;
        }
        LONGS.setOpaque(numbers, PUTTING, 1L);
        try {
            return append(tag, status, message);
        } finally {
            LONGS.setOpaque(numbers, PUTTING, 0L);
        }
    }

    private @Nullable String append(long tag, int status, ByteBuffer message) {
        long count = numbers[PUT];
        if (count == numbers[MAY_PUT]) {
            long most = taken() + RequestWindow.MOST;
            if (count == most) {
                return "§1.1: the upstream emitted more than was requested";
            }
            numbers[MAY_PUT] = most;
        }
        int length = message.remaining();
        int size = size(length);
        Piece piece = putting;
        int at = (int) numbers[PUT_AT];
        if (size > piece.bytes.capacity() - at) {
            piece = begin(size);
            at = 0;
        }
        int end = at + size;
        if (end > numbers[REACHED]) {
            reach(piece.bytes, end);
        }
        piece.bytes.putInt(at, length).putInt(at + STATUS, status).putLong(at + TAG, tag)
                .put(at + PAYLOAD, message, message.position(), length);
        numbers[PUT_AT] = end;
        numbers[PUT] = count + 1;
        END.setRelease(piece, end);
        return null;
    }

    private void reach(ByteBuffer bytes, int end) {
        int until = Math.min(bytes.capacity() - Long.BYTES, end + AHEAD);
        for (int at = end; at < until; at += CACHE_LINE) {
            bytes.putLong(at, 0);
        }
        numbers[REACHED] = until;
    }

    /** Bytes of a message with its fields. */
    private static int size(int length) {
        return Math.addExact(PAYLOAD + Long.BYTES - 1, length) & -Long.BYTES;
    }

    private Piece begin(int size) {
        int wanted = (int) Math.max(size, Math.min(PIECE, GROWTH * count() * size));
        Piece piece = spares.poll();
        while (piece != null && !suits(piece.bytes.capacity(), wanted)) {
            piece = spares.poll();
        }
        if (piece == null) {
            piece = new Piece(wanted);
        }
        putting.next = piece;
        putting = piece;
        numbers[REACHED] = 0;
        numbers[PUT_AT] = 0; // also if the message cannot be copied
        return piece;
    }

    /** Whether a piece is large enough for so many bytes, and does not hold much more memory than that. */
    private static boolean suits(int capacity, int bytes) {
        return capacity >= bytes && (capacity <= LARGE || capacity / WASTE <= bytes);
    }

    // ---- any thread

    private long taken() {
        return (long) LONGS.getAcquire(numbers, TAKEN);
    }

    /** How many wait; roughly, while others put and take. */
    int count() {
        return (int) Math.max(0, (long) LONGS.getOpaque(numbers, PUT) - taken());
    }

    // ---- the loop

    boolean isEmpty() {
        if (numbers[TAKE_AT] < taking.end && !torn) {
            return false;
        }
        Piece next = taking.next; // set after the last message that is here was put
        return torn || numbers[TAKE_AT] >= taking.end && (next == null || next.end == 0);
    }

    /** Whether what waits here is not as it was put, because of an upstream against §1.3. Nothing is taken any more. */
    boolean isTorn() {
        return torn;
    }

    /**
     * The payload of the next message, whose position may be moved; null if there is none. It is valid until this is called again
     * after a {@link #take}.
     */
    @Nullable ByteBuffer peek() {
        int at = (int) numbers[TAKE_AT];
        if (torn) {
            return null;
        }
        if (at >= taking.end) {
            Piece next = taking.next; // set after the last message that is here was put
            if (at >= taking.end) {
                if (next == null || next.end == 0) {
                    return null;
                }
                moveTo(next);
                at = 0;
            }
        }
        int from = at + PAYLOAD;
        int length = taking.bytes.getInt(at);
        // the largest is asked for after the end: it may just have grown for this message
        torn = length < 0 || length > taking.end - from || length > window.largest();
        return torn ? null : taking.payload.limit(from + length).position(from);
    }

    private void moveTo(Piece next) {
        Piece empty = taking;
        taking = next;
        numbers[TAKE_AT] = 0;
        int capacity = empty.bytes.capacity();
        if (spares.isEmpty() || (spares.size() + 1L) * capacity <= KEPT) {
            empty.end = 0;
            empty.next = null;
            spares.offer(empty);
        }
    }

    /** The tag of the message that was looked at. */
    long tag() {
        return taking.bytes.getLong((int) numbers[TAKE_AT] + TAG);
    }

    /** The status of the message that was looked at. */
    int status() {
        return taking.bytes.getInt((int) numbers[TAKE_AT] + STATUS);
    }

    /** Takes the message that was looked at. */
    void take() {
        int at = (int) numbers[TAKE_AT];
        taken(at + size(taking.bytes.getInt(at)), 1);
    }

    private void taken(int at, int count) {
        numbers[TAKE_AT] = at;
        LONGS.setRelease(numbers, TAKEN, numbers[TAKEN] + count);
    }

    /**
     * Takes up to {@code most} messages that have this tag, and status 0, as far as {@code page} has room for them. Returns how
     * many.
     */
    int follow(RunTarget page, long tag, long most) {
        ByteBuffer bytes = taking.bytes;
        int at = (int) numbers[TAKE_AT];
        int end = taking.end;
        int count = 0;
        long sum = 0;
        while (count < most && at < end && bytes.getLong(at + TAG) == tag && bytes.getInt(at + STATUS) == 0) {
            int length = bytes.getInt(at);
            if (length < 0 || length > end - at - PAYLOAD || !page.follow(bytes, at + PAYLOAD, length)) {
                break;
            }
            at += size(length);
            sum += length;
            count++;
        }
        if (count > 0) {
            taken(at, count);
        }
        followedBytes = sum;
        return count;
    }

    /** The payloads' bytes of those that {@link #follow} has taken last. */
    long followedBytes() {
        return followedBytes;
    }

    /** Forgets all. What is put later waits for ever. */
    void clear() {
        while (peek() != null) {
            take();
        }
    }
}
