// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.lease.LeaseWindow;
import io.reactivenetio.lifecycle.DefaultConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** Lets the tests of the API see what only the loop knows. */
public final class ConnectionProbe {

    private ConnectionProbe() {
    }

    /** What does the work of a connection that users hold. */
    public static Connection engine(NetioConnection connection) {
        return DefaultConnection.of(connection).engine();
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
    public static long kept(NetioConnection connection) {
        return engine(connection).resources().kept().kept();
    }

    /** How many of so many receive buffers may be leased. */
    public static int leaseCap(int credits) {
        return LeaseWindow.cap(credits);
    }
}
