// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.spring.MethodThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/** Runs each task on a virtual thread of its own. */
final class VirtualThreads {

    private VirtualThreads() {
    }

    /** Returns the threads of {@code owner}, see {@link MethodThreads}. They are called {@code name-1} and so on. */
    static Executor of(Object owner, String name) {
        ThreadFactory factory = Thread.ofVirtual().name(name + "-", 1).factory();
        return task -> factory.newThread(MethodThreads.of(owner, task)).start();
    }
}
