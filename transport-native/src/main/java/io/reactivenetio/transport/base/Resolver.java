// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The few daemon threads on which names are looked up and fi_getinfo(3) is asked: both may block, so no loop does it. */
final class Resolver {
    private static final int THREADS = 4;
    private static final ThreadPoolExecutor EXECUTOR = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("netio-resolver-", 0).factory());

    static {
        EXECUTOR.allowCoreThreadTimeOut(true);
    }

    private Resolver() {
    }

    /** On a loop, too, which must not wait for the locks that such a pool has: a virtual thread may. */
    static void execute(Runnable task) {
        Thread.ofVirtual().name("netio-resolver").start(() -> EXECUTOR.execute(task));
    }
}
