// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.exceptions.NetioException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/** Waits for a Mono and throws its error as it is, for the {@code …Now} methods. */
public final class BlockingMono {
    /**
     * Has the element that somebody waits for, until he takes it. One that comes when he has given up has no other owner, so it
     * is disposed of here.
     */
    private static final class Handover<T> {
        private static final Object GIVEN_UP = new Object();

        private final AtomicReference<@Nullable Object> state = new AtomicReference<>();
        private final Consumer<? super T> late;

        Handover(Consumer<? super T> late) {
            this.late = late;
        }

        void came(T element) {
            if (!state.compareAndSet(null, element)) {
                late.accept(element);
            }
        }

        @SuppressWarnings("unchecked") // only came() puts an element there
        void giveUp() {
            Object element = state.getAndSet(GIVEN_UP);
            if (element != null && element != GIVEN_UP) {
                late.accept((T) element);
            }
        }
    }

    private BlockingMono() {
    }

    /** {@link #await(Mono, Duration, String, Consumer)} for an element that nobody has to dispose of. */
    public static <T> T await(Mono<T> mono, Duration timeout, String what) {
        return await(mono, timeout, what, unwanted -> { });
    }

    /**
     * The element of {@code mono}. {@code what} is what took too long or gave nothing, for errors. {@code late} disposes of an
     * element that comes while or after the wait ends without it: with the timeout, or because the thread is interrupted. Not on
     * a loop's thread.
     */
    public static <T> T await(Mono<T> mono, Duration timeout, String what, Consumer<? super T> late) {
        Handover<T> handover = new Handover<>(late);
        boolean taken = false;
        try {
            T value = mono.doOnNext(handover::came).block(Durations.bounded(timeout));
            if (value == null) {
                throw new NetioException(what + " gave nothing");
            }
            taken = true;
            return value;
        } catch (RuntimeException e) {
            throw translated(e, timeout, what);
        } finally {
            if (!taken) {
                handover.giveUp();
            }
        }
    }

    private static RuntimeException translated(RuntimeException failure, Duration timeout, String what) {
        if (Exceptions.unwrap(failure) instanceof NetioException n) {
            return n;
        }
        boolean tooLong = failure instanceof IllegalStateException && String.valueOf(failure.getMessage()).startsWith("Timeout");
        return tooLong ? new NetioException(what + " took longer than " + Durations.millis(timeout) + " ms", failure) : failure;
    }
}
