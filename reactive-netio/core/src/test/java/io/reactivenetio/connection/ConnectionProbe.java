// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.lease.LeaseWindow;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Lets the tests of the API see what only the loop knows. */
public final class ConnectionProbe {

    private ConnectionProbe() {
    }

    /** Receive buffers that are posted, or free to be. */
    public static int creditsPosted(Connection engine) {
        return onLoop(engine, posted -> posted);
    }

    /** What a function makes of that number on the loop, where nothing changes meanwhile that the loop changes. */
    public static <T> T onLoop(Connection engine, IntFunction<T> look) {
        return CompletableFuture.supplyAsync(() -> look.apply(engine.creditsPosted()), engine.loop()::execute)
                .orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** Bytes that the connections of its loop keep between large messages. */
    public static long kept(Object connection) {
        return ConnectionAccess.of(connection).resources().kept().kept();
    }

    /** How many of so many receive buffers may be leased. */
    public static int leaseCap(int credits) {
        return LeaseWindow.cap(credits);
    }
}
