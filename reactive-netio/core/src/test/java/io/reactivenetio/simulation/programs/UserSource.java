// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.simulation.VirtualMachine;
import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A source of a user's: it gives what it is asked for, at once or from another thread, and ends in one of several ways. */
final class UserSource implements Publisher<ByteBuffer> {
    static final int AT_ONCE = 0;
    static final int SLOWLY = 2;
    static final int COMPLETES = 0;
    static final int NEVER = 2;

    private static final long SLOW_NANOS = 3_000_000;
    private static final long SOON_NANOS = 30_000;
    private static final int TOGETHER = 8;
    private static final Throwing[] FAILURES = {Throwing.NOTHING, Throwing.RUNTIME, Throwing.NOTHING, Throwing.NO_TEXT,
        Throwing.TEXT_THROWS, Throwing.ASSERTION};

    private final VirtualMachine machine;
    private final int messages;
    private final int size;
    private final int pace;
    private final int end;

    UserSource(VirtualMachine machine, Node plan) {
        this.machine = machine;
        this.messages = plan.number(0);
        this.size = plan.number(1);
        this.pace = plan.number(2);
        this.end = plan.number(3);
    }

    int messages() {
        return messages;
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> subscriber) {
        Run run = new Run(subscriber);
        subscriber.onSubscribe(run);
        run.emit(); // it may be empty
    }

    private final class Run implements Subscription {
        private final Subscriber<? super ByteBuffer> subscriber;
        private long wanted;
        private int given;
        private boolean emitting;
        private boolean planned;
        private boolean over;

        Run(Subscriber<? super ByteBuffer> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long n) {
            wanted = wanted + n < 0 ? Long.MAX_VALUE : wanted + n;
            if (pace == AT_ONCE) {
                emit();
            } else {
                later();
            }
        }

        @Override
        public void cancel() {
            over = true;
        }

        private void later() {
            if (!planned && !over) {
                planned = true;
                machine.after(machine.drawNanos(pace == SLOWLY ? SLOW_NANOS : SOON_NANOS), () -> {
                    planned = false;
                    emit();
                });
            }
        }

        /** Never within itself. */
        private void emit() {
            if (emitting) {
                return;
            }
            emitting = true;
            int most = pace == SLOWLY ? 1 : pace == AT_ONCE ? Integer.MAX_VALUE : 1 + machine.draw(TOGETHER);
            for (int i = 0; i < most && wanted > 0 && !over && given < messages && machine.violations().isEmpty(); i++) {
                wanted--;
                given++;
                machine.countMessage();
                subscriber.onNext(ByteBuffer.allocate(size));
                machine.yield();
            }
            emitting = false;
            if (!over && given == messages) {
                end();
            } else if (wanted > 0 && machine.violations().isEmpty()) {
                later();
            }
        }

        private void end() {
            over = true;
            if (end == COMPLETES) {
                subscriber.onComplete();
            } else if (end != NEVER) {
                subscriber.onError(FAILURES[end].make());
            }
        }
    }
}
