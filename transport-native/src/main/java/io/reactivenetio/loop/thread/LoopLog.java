// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What event loops log goes to one logger, with the name that users set levels for, whichever class says it. */
public final class LoopLog {
    public static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.loop.EventLoop");

    static {
        MissingProvider.tell();
    }

    private LoopLog() {
    }
}
