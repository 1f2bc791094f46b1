// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

/** What a listener does when the publisher has completed what it is subscribed to. */
public enum OnComplete {
    /** It is {@link NetioListenerState#COMPLETED} when all its subscriptions are, and takes nothing more until it is started. */
    STAY,

    /**
     * It subscribes again to what has completed, for a publisher that publishes one run after the other. Messages of the next run
     * that are published while nobody is subscribed are not received: a source that waits for subscribers loses none, as a shared
     * source under {@link io.reactivenetio.api.SlowPolicy#BACKPRESSURE} does; one that does not wait, such as a clock, loses
     * what it gives in the pauses of up to a second between two attempts. That is counted as missed where the publisher numbers
     * it.
     */
    RESUBSCRIBE
}
