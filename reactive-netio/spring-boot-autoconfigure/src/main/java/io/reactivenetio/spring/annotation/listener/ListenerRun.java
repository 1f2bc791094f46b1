// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What a listener does from one start to its stop. Any thread. */
interface ListenerRun {

    /** Subscribes. Called once. What it throws is an error of the bean. */
    void start();

    /**
     * Asks for no more messages, cancels the subscriptions when those that were asked for have come, or after a moment, and lets
     * what has come be finished. It may be called several times.
     */
    void stop();

    /** Stops, and has what is not finished end at once. */
    void abort();

    /** Completes when everything is over: the streams, and what has come. */
    Mono<Void> over();

    /** Why it has ended; null if nothing has failed for good. */
    @Nullable Throwable failure();

    /** How many messages are being worked on. */
    int inFlight();

    /** How many messages wait to be worked on. */
    int waiting();

    /**
     * What it has given up: the number of messages that waited, and of those that were worked on. Both are 0 before it is
     * aborted, and final when it is over.
     */
    GivenUp givenUp();

    /** Returns for how long there have always been messages that wait, as it is slower than they come; 0 if it keeps up. */
    Duration behind();

    /** Numbers of messages that a run has given up. */
    record GivenUp(long waited, long worked) { }
}
