// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Finds the {@link Connection} behind the public connection that users hold. The packages of this module above the public one
 * need that, and a method of the public class would show an internal type to users. This package does not know the public class:
 * that class says in its static initialiser how to get to its {@code Connection}. So it has said so before anybody has an
 * instance of it.
 */
public final class ConnectionAccess {
    /** What the public class says. Its methods throw ClassCastException if {@code connection} is no instance of that. */
    public interface Way {
        /** The connection behind {@code connection}. */
        Connection behind(Object connection);

        /** {@code messages} of a subscription to {@code tags}, with what the user has wished around each subscription. */
        <T> Flux<T> around(Object connection, String tags, Flux<T> messages);
    }

    private static volatile @Nullable Way way;

    private ConnectionAccess() {
    }

    /** Says how to get from an instance of the public class to the connection behind it. */
    public static void provide(Way known) {
        way = known;
    }

    /**
     * The connection behind {@code connection}.
     *
     * @throws ClassCastException if that is no instance of the public class
     */
    public static Connection of(Object connection) {
        return known(connection).behind(connection);
    }

    /**
     * {@code messages}, which come of a subscription to {@code tags} on {@code connection}, with what the user of the public
     * class has wished around each subscription.
     *
     * @throws ClassCastException if that is no instance of the public class
     */
    public static <T> Flux<T> subscribing(Object connection, String tags, Flux<T> messages) {
        return known(connection).around(connection, tags, messages);
    }

    private static Way known(Object connection) {
        Way known = way;
        if (known == null) {
            throw new IllegalStateException("there is no public connection yet, so this is none: " + connection);
        }
        return known;
    }
}
