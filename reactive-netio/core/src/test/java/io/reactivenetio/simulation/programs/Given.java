// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.simulation.VirtualMachine;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** What users gave to the library, and what has come out of it: each message says which run of which source it is of. */
final class Given {
    /** Bytes before the content: the run and the number. */
    static final int LABEL = 8;

    /** One subscription of the library to a source. */
    final class Run implements CoreSubscriber<ByteBuffer>, Subscription {
        final int tag;
        final boolean shared;
        /** What has come to some subscriber, or of which the user's code has said that it is wrong. */
        final BitSet accounted = new BitSet();
        private final int id;
        private final int planned;
        private final CoreSubscriber<? super ByteBuffer> library;
        private @Nullable Subscription upstream;
        private long asked;
        private int emitted;
        private long emittedBytes;
        private long takenBytes;
        boolean completed;
        boolean failed;
        boolean cancelled;

        Run(int tag, boolean shared, int planned, CoreSubscriber<? super ByteBuffer> library) {
            this.tag = tag;
            this.shared = shared;
            this.planned = planned;
            this.library = library;
            this.id = runs.size();
            runs.add(this);
        }

        /** How many messages nobody has got. */
        int lost() {
            return emitted - accounted.cardinality();
        }

        /** How many were given after the last that somebody has got. */
        int tail() {
            return emitted - accounted.length();
        }

        boolean isOver() {
            return completed || failed || cancelled;
        }

        boolean hasMore() {
            return !isOver() && emitted < planned;
        }

        @Override
        public void onSubscribe(Subscription s) {
            upstream = s;
            library.onSubscribe(this);
        }

        @Override
        public void onNext(ByteBuffer message) {
            if (++emitted > asked) {
                machine.violated(this + " gave more than it was asked for");
            }
            emittedBytes += message.remaining();
            long waiting = emittedBytes - takenBytes;
            long most = MOST_WAITING + (1L + allowed) * message.remaining();
            if (waiting > most && waiting - givenUp.getAsLong() * message.remaining() > most) {
                machine.violated("a queue without bound: " + (waiting >> 20) + " MiB of " + this + " wait");
            }
            library.onNext(message.putInt(0, id).putInt(Integer.BYTES, emitted - 1));
        }

        @Override
        public void onError(Throwable t) {
            failed = true;
            library.onError(t);
        }

        @Override
        public void onComplete() {
            completed = true;
            library.onComplete();
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                machine.violated(this + ": §3.9: it was asked for " + n);
            }
            asked = asked + n < 0 ? Long.MAX_VALUE : asked + n;
            if (upstream != null) {
                upstream.request(n);
            }
        }

        @Override
        public void cancel() {
            cancelled = !completed && !failed;
            if (upstream != null) {
                upstream.cancel();
            }
        }

        @Override
        public String toString() {
            return "run " + id + " of tag " + tag + " (" + (shared ? "shared" : "for one") + ", " + emitted + " of " + planned
                    + " given, " + lost() + " not received" + (completed ? ", completed" : failed ? ", failed" : cancelled
                    ? ", cancelled" : "") + ")";
        }
    }

    /** Bytes of one source that may wait in a queue. */
    private static final long MOST_WAITING = Long.getLong("netio.programs.queueBytes", 40L << 20);

    private final VirtualMachine machine;
    private final int allowed;
    private final LongSupplier givenUp;
    private final List<Run> runs = new ArrayList<>();

    /**
     * {@code allowed} is how many messages of a source users have queues for, and {@code givenUp} says how many the library has
     * counted as given up.
     */
    Given(VirtualMachine machine, int allowed, LongSupplier givenUp) {
        this.machine = machine;
        this.allowed = allowed;
        this.givenUp = givenUp;
    }

    List<Run> runs() {
        return runs;
    }

    /** Where {@code messages} of a source of a user's enter the library. */
    Flux<ByteBuffer> tap(int tag, boolean shared, int planned, Publisher<ByteBuffer> messages) {
        return Flux.from(messages).transform(Operators.<ByteBuffer, ByteBuffer>lift(
                (scannable, library) -> new Run(tag, shared, planned, library)));
    }

    /** Which number it has in its run. */
    static int number(ByteBuffer message) {
        return message.getInt(message.position() + Integer.BYTES);
    }

    /** A message that has come to a subscriber, which got {@code next[run]} or later ones of that run before. */
    void arrived(ByteBuffer message, String who) {
        int id = message.getInt(message.position());
        int number = number(message);
        if (id < 0 || id >= runs.size() || number < 0 || number >= runs.get(id).emitted) {
            machine.violated(who + " got a message that was not sent: run " + id + ", number " + number);
            return;
        }
        Run run = runs.get(id);
        if (run.tag >= Sending.FIRST_KEY && number < run.accounted.length()) {
            machine.violated(who + " got a message twice, or behind a later one: " + number + " of " + run);
        }
        if (!run.accounted.get(number)) {
            run.accounted.set(number);
            run.takenBytes += message.remaining();
        }
    }

    /** The user's code has refused it. */
    void refused(ByteBuffer message) {
        runs.get(message.getInt(message.position())).accounted.set(number(message));
    }
}
