// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes the public loops of contexts, and finds the contexts behind them, for the test pair: it runs loops itself, or looks after
 * those that run. A method of the public class would show an internal type to users. So that class says in its static
 * initialiser how it is done.
 */
public final class LoopsAccess {

    private record Way(Class<?> type, Function<List<LoopContext>, ?> make, Function<Object, List<LoopContext>> behind) {
    }

    private static volatile @Nullable Way way;

    private LoopsAccess() {
    }

    /** Says how to make an instance of {@code type}, the public class, and how to get from one to its contexts. */
    public static <T> void provide(Class<T> type, Function<List<LoopContext>, T> make,
            Function<? super T, List<LoopContext>> behind) {
        way = new Way(type, make, instance -> behind.apply(type.cast(instance)));
    }

    /**
     * New loops, which end with {@code contexts}.
     *
     * @throws ClassCastException if {@code type} is not the public class
     */
    public static <T> T make(Class<T> type, List<LoopContext> contexts) {
        return type.cast(way(type).make().apply(contexts));
    }

    /**
     * The contexts of {@code loops}.
     *
     * @throws ClassCastException if that is no instance of the public class
     */
    public static List<LoopContext> contexts(Object loops) {
        return way(loops.getClass()).behind().apply(loops);
    }

    private static Way way(Class<?> type) {
        try {
            MethodHandles.lookup().ensureInitialized(type);
        } catch (IllegalAccessException e) {
            throw new IllegalArgumentException(type + " is not the public class of loops", e);
        }
        Way known = way;
        if (known == null) {
            throw new IllegalArgumentException(type + " is not the public class of loops");
        }
        return known;
    }
}
