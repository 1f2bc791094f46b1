// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the {@link Connection} behind the public connection that users hold. The packages of this module above the public one
 * need that, and a method of the public class would show an internal type to users. This package does not know the public class:
 * that class says in its static initialiser how to get to its {@code Connection}. So it has said so before anybody has an
 * instance of it.
 */
public final class ConnectionAccess {
    private static volatile @Nullable Function<Object, Connection> way;

    private ConnectionAccess() {
    }

    /** Says how to get from an instance of {@code type}, the public class, to the connection behind it. */
    public static <T> void provide(Class<T> type, Function<? super T, Connection> behind) {
        way = instance -> behind.apply(type.cast(instance));
    }

    /**
     * The connection behind {@code connection}.
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
