// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.transport.backend.WorkerPool;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Daemon threads for what may block and so must not be done on a loop: making backends, binding. They end when they have had
 * nothing to do for some seconds. Reactor's own keep a thread for ever, and with it the class loader of an application that was
 * stopped in a JVM which goes on, as a Flink job is.
 */
final class Workers {
    private static final int THREADS = 64;

    private static final Scheduler SCHEDULER = Schedulers.fromExecutorService(WorkerPool.create("netio-worker-", THREADS),
            "netio-worker");

    private Workers() {
    }

    static Scheduler scheduler() {
        return SCHEDULER;
    }
}
