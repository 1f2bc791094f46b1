// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Which messages were handed to the library, and which came out of it. Each message of 8 bytes or more says which batch it is of
 * and which of that, and its other bytes follow from these two; of a smaller one only the size is known.
 */
final class Ledger {
    static final int NAMED = 8;

    /** The messages of one subscription to one source. */
    static final class Batch {
        final int id;
        final String what;
        final List<Integer> sizes = new ArrayList<>();
        long arrived;
        /** Whether each message says its tag and its status, see {@link Labels}. */
        boolean labelled;
        /** When each of these arrived. */
        final List<Long> times = new ArrayList<>();

        Batch(int id, String what) {
            this.id = id;
            this.what = what;
        }

        /** How many messages had arrived at that time, as far as they are named. */
        long arrivedBefore(long nanos) {
            return times.stream().filter(time -> time < nanos).count();
        }

        @Override
        public String toString() {
            return "batch " + id + " of " + what;
        }
    }

    private final List<Batch> batches = new ArrayList<>();
    private final Consumer<String> violations;
    private final LongSupplier now;
    private boolean trusting = true;

    /** {@code violations} is told what must never be, {@code now} says the time in nanoseconds. */
    Ledger(Consumer<String> violations, LongSupplier now) {
        this.now = now;
        this.violations = violations;
    }

    /** From now on messages may be changed on their way. */
    void expectDamage() {
        trusting = false;
    }

    Batch open(String what) {
        Batch batch = new Batch(batches.size(), what);
        batches.add(batch);
        return batch;
    }

    List<Batch> batches() {
        return batches;
    }

    /** The next message of a batch. */
    ByteBuffer next(Batch batch, int size) {
        int number = batch.sizes.size();
        batch.sizes.add(size);
        return ByteBuffer.wrap(content(batch.id, number, size));
    }

    /** Loops that the compiler can do many bytes at a time: most of a world's time goes here. */
    private static byte[] content(int batch, int number, int size) {
        byte[] content = new byte[size];
        int first = batch * 31 + number * 7;
        for (int i = 0; i < size; i++) {
            content[i] = (byte) (first + i);
        }
        for (int i = 0; i < Math.min(size, NAMED); i++) {
            int word = i < Integer.BYTES ? batch : number;
            content[i] = (byte) (word >>> 8 * (i & 3));
        }
        return content;
    }

    /** What one subscriber gets: of each batch in order, without a gap unless something may have been dropped. */
    final class Reader {
        private final String who;
        private final boolean mayDrop;
        private final Tags wanted;
        private final Map<Integer, Integer> nexts = new HashMap<>();
        private long messages;
        private long nameless;
        private long dropped;

        Reader(String who, boolean mayDrop) {
            this(who, mayDrop, Labels.ALL);
        }

        /** {@code wanted}: of a batch whose messages have tags, it gets those with these only. */
        Reader(String who, boolean mayDrop, Tags wanted) {
            this.who = who;
            this.mayDrop = mayDrop;
            this.wanted = wanted;
        }

        /** Messages that came. */
        long messages() {
            return messages;
        }

        /** Messages between those that came. */
        long dropped() {
            return dropped;
        }

        /** Whether the last message of the batch did not come, as far as that can be told: {@code some} did, or all should. */
        boolean lacksTheLast(Batch batch, boolean some) {
            Integer next = nexts.getOrDefault(batch.id, some ? Integer.MAX_VALUE : 0);
            int all = batch.sizes.size();
            return trusting && next < all && batch.sizes.get(all - 1) >= NAMED;
        }

        /** With the tag and the status that it came with. */
        void read(long tag, int status, ByteBuffer message) {
            if (trusting && message.remaining() >= NAMED && batch(message) >= 0 && batch(message) < batches.size()
                    && batches.get(batch(message)).labelled) {
                int number = number(message);
                if (tag != Labels.tag(batch(message), number, message.remaining()) || status != Labels.status(number)) {
                    violations.accept(who + " got message " + number + " of " + batches.get(batch(message)) + " with tag " + tag
                            + " and status " + status);
                }
                if (!wanted.contains(tag)) {
                    violations.accept(who + " got a message with tag " + tag + ", which it did not want");
                }
            }
            read(message);
        }

        void read(ByteBuffer message) {
            messages++;
            int size = message.remaining();
            if (size < NAMED || !trusting) {
                nameless++;
                return;
            }
            int id = batch(message);
            int number = number(message);
            if (id < 0 || id >= batches.size() || number < 0 || number >= batches.get(id).sizes.size()) {
                violations.accept(who + " got a message that was not sent: batch " + id + ", message " + number);
                return;
            }
            Batch batch = batches.get(id);
            if (batch.sizes.get(number) != size || !isUnchanged(message, id, number)) {
                violations.accept(who + " got message " + number + " of " + batch + " changed");
            }
            inOrder(batch, number);
            batch.arrived++;
            batch.times.add(now.getAsLong());
        }

        private void inOrder(Batch batch, int number) {
            Integer next = nexts.get(batch.id);
            if (next != null) {
                if (number < next) {
                    violations.accept(who + " got message " + number + " of " + batch + " after " + (next - 1));
                }
                for (int skipped = next; skipped < number; skipped++) {
                    if (batch.labelled && !wanted.contains(Labels.tag(batch.id, skipped, batch.sizes.get(skipped)))) {
                        continue;
                    }
                    if (batch.sizes.get(skipped) < NAMED && nameless > 0) {
                        nameless--;
                    } else {
                        dropped++;
                    }
                    if (dropped > 0 && !mayDrop) {
                        violations.accept(who + " got message " + number + " of " + batch + " after " + (next - 1)
                                + ": some are missing");
                        return;
                    }
                }
            }
            nexts.put(batch.id, number + 1);
        }
    }

    private static boolean isUnchanged(ByteBuffer message, int id, int number) {
        return message.mismatch(ByteBuffer.wrap(content(id, number, message.remaining()))) == -1;
    }

    /** Of a message that is long enough to say it. */
    static int batch(ByteBuffer message) {
        return little(message, message.position());
    }

    /** Whether messages arrive as they were sent: nothing changes them on their way. */
    boolean isTrusting() {
        return trusting;
    }

    static int number(ByteBuffer message) {
        return little(message, message.position() + Integer.BYTES);
    }

    private static int little(ByteBuffer message, int at) {
        return message.get(at) & 0xFF | (message.get(at + 1) & 0xFF) << 8 | (message.get(at + 2) & 0xFF) << 16
                | message.get(at + 3) << 24;
    }
}
