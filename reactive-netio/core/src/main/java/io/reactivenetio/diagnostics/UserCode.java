// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.diagnostics;

import io.reactivenetio.transport.backend.LogBudget;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Exceptions;

/**
 * What becomes of what a user's code throws: encoders, decoders, functions, consumers, subscribers. Everything is caught there,
 * Errors and checked exceptions as well, and ends what it belongs to: a subscription, a request, a consumer's turn. The loop and
 * the connection go on. Any thread.
 */
public final class UserCode {
    /** Characters of a text, at most: whoever sends it cuts off more. */
    private static final int MOST_TEXT = 2_000;

    private UserCode() {
    }

    /**
     * What {@code thrown} says of itself, as {@link Throwable#toString} does. It is the name of its class if that returns null or
     * throws, and not all of it if it is long.
     */
    public static String text(Throwable thrown) {
        @Nullable String text;
        try {
            text = thrown.toString();
        } catch (Throwable again) {
            text = null;
        }
        if (text == null) {
            return thrown.getClass().getName();
        }
        if (text.length() <= MOST_TEXT) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(MOST_TEXT - 1)) ? MOST_TEXT - 1 : MOST_TEXT;
        return text.substring(0, end) + "…";
    }

    /**
     * The error that a subscriber is told. Reactor's operators do not pass on what it holds for fatal, such as a LinkageError or
     * a StackOverflowError: they throw it at whoever calls, and the subscriber would wait for ever. Such an error is the cause of
     * the one returned.
     */
    public static Throwable failure(Throwable thrown) {
        return Exceptions.isFatal(thrown) ? new IllegalStateException("a user's code has thrown " + text(thrown), thrown)
                : thrown;
    }

    /** Throws what {@link #failure} makes of it, also if that is checked. It returns nothing: the result is for the compiler. */
    public static RuntimeException rethrown(Throwable thrown) {
        return UserCode.<RuntimeException>sneak(failure(thrown));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the compiler takes it for unchecked
    private static <E extends Throwable> E sneak(Throwable thrown) throws E {
        throw (E) thrown;
    }

    /** {@code function}, for operators of Reactor: it throws the {@link #failure} of what it throws. */
    public static <T, R> Function<T, R> guarded(Function<? super T, ? extends R> function) {
        return value -> {
            try {
                return function.apply(value);
            } catch (Throwable t) {
                throw rethrown(t);
            }
        };
    }

    /** Tells a consumer, and logs what it throws below {@code what}. */
    public static <T> void tell(Consumer<? super T> consumer, T value, Logger log, String what) {
        try {
            consumer.accept(value);
        } catch (Throwable t) {
            warn(log, what, t);
        }
    }

    /** Logs what was thrown with its stack trace; without it if its text cannot be made. Never throws. */
    public static void warn(Logger log, String what, Throwable thrown) {
        try {
            log.warn(what, thrown);
        } catch (Throwable again) {
            unlessThatThrows(() -> log.warn("{}: {}", what, text(thrown)));
        }
    }

    /**
     * Warns as {@link #warn(Logger, String, Throwable)} does, within a budget: a peer may have a user's code throw as often as
     * it likes.
     */
    public static void warn(LogBudget log, String what, Throwable thrown) {
        try {
            log.warn("{}", what, thrown);
        } catch (Throwable again) {
            unlessThatThrows(() -> log.warn("{}: {}", what, text(thrown)));
        }
    }

    private static void unlessThatThrows(Runnable warn) {
        try {
            warn.run();
        } catch (Throwable again) {
            // without memory or stack there is nobody to tell, and the loop has to go on
        }
    }
}
