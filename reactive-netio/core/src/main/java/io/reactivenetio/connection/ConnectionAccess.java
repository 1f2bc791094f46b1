// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way from the public connection, which users hold, to the {@link Connection} behind it, for the packages of this module that
 * are above the public one. A method of the public class would show an internal type to users. So that class, which this package
 * does not know, says here how it is done, in its static initialiser: whoever has an instance finds that it was said.
 */
public final class ConnectionAccess {
    private static volatile @Nullable Function<Object, Connection> way;

    private ConnectionAccess() {
    }

    /** Says how to get from an instance of {@code type}, the public class, to what is behind it. */
    public static <T> void provide(Class<T> type, Function<? super T, Connection> behind) {
        way = instance -> behind.apply(type.cast(instance));
    }

    /**
     * What is behind {@code connection}.
     *
     * @throws ClassCastException if that is no instance of the public class
     */
    public static Connection of(Object connection) {
        Function<Object, Connection> known = way;
        if (known == null) {
            throw new IllegalStateException("there is no public connection yet, so this is none: " + connection);
        }
        return known.apply(connection);
    }
}
