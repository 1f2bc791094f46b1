// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import org.springframework.context.SmartLifecycle;

/**
 * The phases of {@link SmartLifecycle} in which an application's connections start and stop. What has a higher phase starts later
 * and stops earlier. A web server starts after all of these and stops before them.
 */
public final class NetioPhases {
    /** In this phase the server starts to listen, and stops listening. Its connections go on. */
    public static final int LISTEN = SmartLifecycle.DEFAULT_PHASE - 4096;

    /** In this phase consumers subscribe to what other processes publish, before the server listens, and stop. */
    public static final int CONSUME = LISTEN - 1024;

    /** In this phase the server's connections come to their end, when nothing is consumed any more. */
    public static final int DRAIN = CONSUME - 1024;

    /** In this phase what the server publishes begins, and ends, when nobody is connected any more. */
    public static final int SUPPLY = DRAIN - 1024;

    private NetioPhases() {
    }
}
