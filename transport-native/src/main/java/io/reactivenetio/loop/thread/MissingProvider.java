// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

/**
 * Says on stderr, once in a process, that nothing is logged, because no provider of SLF4J is there. What this library warns of
 * would be lost without a word.
 */
final class MissingProvider {
    static final String HINT = "netio: there is no SLF4J provider on the class path, so what netio warns of is not shown."
            + " Add one, such as org.slf4j:slf4j-simple, or org.slf4j:slf4j-nop if that is meant.";
    /** Whoever adds this provider wants silence. */
    private static final String CHOSEN = "org/slf4j/nop/NOPServiceProvider.class";

    private MissingProvider() {
    }

    static void tell() {
        ClassLoader loader = LoggerFactory.class.getClassLoader();
        boolean chosen = loader != null && loader.getResource(CHOSEN) != null;
        String hint = hint(LoggerFactory.getILoggerFactory(), chosen);
        if (hint != null) {
            System.err.println(hint);
        }
    }

    /** What there is to say; null if it is nothing. */
    static @Nullable String hint(ILoggerFactory loggers, boolean silenceIsChosen) {
        return loggers instanceof NOPLoggerFactory && !silenceIsChosen ? HINT : null;
    }
}
