// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.simulation.Ledger.Batch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What is sent: a Publisher that is as slow, as endless and as unreliable as it is told, and holds the library to its rules. */
final class MessageSource implements Publisher<ByteBuffer> {
    /** Where its messages come from. */
    enum Pace {
        /** While it is asked. */
        AT_ONCE,
        /** From another thread, soon. */
        ELSEWHERE,
        /** From another thread, one now and then. */
        SLOWLY
    }

    /**
     * What it gives.
     *
     * @param messages how many; -1 for as many as are wanted until the world ends
     * @param size bytes of the largest
     * @param pace when
     * @param fails whether an error follows the last
     */
    record Plan(int messages, int size, Pace pace, boolean fails) {
    }

    private static final int BATCH = 3;
    private static final NetioEncoder<ByteBuffer> COPY = new NetioEncoder<>() {
        @Override
        public int size(ByteBuffer message) {
            return message.remaining();
        }

        @Override
        public void encode(ByteBuffer message, ByteBuffer target) {
            target.put(message.duplicate());
        }
    };

    /** What its error says, if it fails. */
    static final String FAILURE = "the source failed, as planned";

    private static final long SLOW_NANOS = 3_000_000;
    private static final long SOON_NANOS = 30_000;
    private static final int MOST_ENDLESS = 4_000;
    private static final int MOST_PER_TURN = 200;

    private final VirtualMachine machine;
    private final Ledger ledger;
    private final Plan plan;
    private final String what;
    private final List<Run> runs = new ArrayList<>();
    private boolean over;
    private boolean labelled;
    private long turn;
    private int inTurn;

    MessageSource(VirtualMachine machine, Ledger ledger, Plan plan, String what) {
        this.machine = machine;
        this.ledger = ledger;
        this.plan = plan;
        this.what = what;
    }

    /** This source's messages, each with its label. */
    Publisher<TaggedMessage> labelled() {
        labelled = true;
        return Flux.from(this).map(Labels::label);
    }

    /** Sends this source's messages, each as one. */
    Mono<Void> sendTo(NetioOutbound out, Step.Given given) {
        return switch (given) {
            case BUFFERS -> out.send(this);
            case TAGGED -> out.sendTagged(labelled());
            case BATCHES -> out.sendBatches(Flux.from(this).buffer(BATCH), COPY);
        };
    }

    Plan plan() {
        return plan;
    }

    /** What is endless ends. */
    void end() {
        over = true;
        List.copyOf(runs).forEach(Run::emit);
    }

    List<Run> runs() {
        return runs;
    }

    /** What has been sent, by a send that has succeeded. A batch takes a whole run, so its send may fail after that. */
    List<Run> sent(Step.Send step) {
        boolean mayHaveFailed = step.given() == Step.Given.BATCHES && step.after() == Step.After.RETRY;
        return mayHaveFailed ? runs.subList(runs.size() - 1, runs.size()) : runs;
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
        countTurn();
        Run run = new Run(subscriber);
        runs.add(run);
        subscriber.onSubscribe(run);
        run.emit(); // it may be empty
    }

    /** Whoever subscribes again and again must let the loop go on in between. */
    private void countTurn() {
        long now = machine.turn();
        inTurn = now >= 0 && now == turn ? inTurn + 1 : 0;
        turn = now;
        if (inTurn == MOST_PER_TURN) {
            machine.violated("a livelock: " + inTurn + " subscriptions in one turn to the source of " + what);
        }
    }

    /** One subscription. */
    final class Run implements Subscription {
        private final Subscriber<? super ByteBuffer> subscriber;
        private final Batch batch;
        private long wanted;
        private long asked;
        private boolean emitting;
        private boolean planned;
        private boolean cancelled;
        private boolean done;

        Run(Subscriber<? super ByteBuffer> subscriber) {
            this.subscriber = subscriber;
            this.batch = ledger.open(what);
            batch.labelled = labelled;
        }

        Batch batch() {
            return batch;
        }

        boolean isDone() {
            return done || cancelled;
        }

        /** How many it was asked for. */
        long asked() {
            return asked;
        }

        /** Whether there would be another message if it were asked. */
        boolean hasMore() {
            return !isDone() && !isExhausted();
        }

        boolean isCompleted() {
            return done && !plan.fails;
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                machine.violated(what + ": §3.9: it was asked for " + n);
                return;
            }
            wanted = wanted + n < 0 ? Long.MAX_VALUE : wanted + n;
            asked = asked + n < 0 ? Long.MAX_VALUE : asked + n;
            if (plan.pace == Pace.AT_ONCE) {
                emit();
            } else {
                later();
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
        }

        private void later() {
            if (!planned && !isDone()) {
                planned = true;
                machine.after(machine.drawNanos(plan.pace == Pace.SLOWLY ? SLOW_NANOS : SOON_NANOS), () -> {
                    planned = false;
                    emit();
                });
            }
        }

        private boolean isExhausted() {
            int given = batch.sizes.size();
            return over && plan.messages < 0 || plan.messages >= 0 && given >= plan.messages || given >= MOST_ENDLESS;
        }

        /** Never within itself. */
        private void emit() {
            if (emitting) {
                return;
            }
            emitting = true;
            int most = plan.pace == Pace.SLOWLY ? 1 : plan.pace == Pace.ELSEWHERE ? 1 + machine.draw(8) : Integer.MAX_VALUE;
            for (int i = 0; i < most && wanted > 0 && !isDone() && !isExhausted(); i++) {
                wanted--;
                machine.countMessage();
                subscriber.onNext(ledger.next(batch, machine.draw(plan.size + 1)));
                machine.yield();
            }
            emitting = false;
            if (!isDone() && isExhausted()) {
                done = true;
                if (plan.fails) {
                    subscriber.onError(new IllegalStateException(FAILURE));
                } else {
                    subscriber.onComplete();
                }
            } else if (wanted > 0) {
                later();
            }
        }
    }
}
