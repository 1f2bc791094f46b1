// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A listener that can be started, stopped and looked at. All methods may be called on any thread. */
public interface NetioListenerContainer {

    /** Its name. */
    String id();

    /** What it does now. */
    NetioListenerState state();

    /** Why it has {@link NetioListenerState#FAILED}; null in every other state. */
    @Nullable Throwable failure();

    /** What it has done so far. */
    NetioListenerStatistics statistics();

    /**
     * Subscribes, unless it is running.
     *
     * @throws IllegalStateException if it is still stopping
     */
    void start();

    /**
     * Asks for no more messages, and cancels the subscriptions when those that were asked for have come, or after a tenth of a
     * second; the Flux of a method that takes one completes at once. The messages that are here are finished. The Mono completes
     * when they are; nothing depends on its being subscribed to. The listener's own method must not wait for it, which would be
     * to wait for itself.
     */
    Mono<Void> stop();

    /**
     * Stops without waiting: threads that work on messages are interrupted, their Publishers are cancelled, and messages that
     * wait are discarded.
     */
    void abort();
}
