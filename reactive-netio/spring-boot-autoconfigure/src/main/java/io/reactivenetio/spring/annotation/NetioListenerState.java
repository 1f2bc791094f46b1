// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

/** What a listener does. */
public enum NetioListenerState {
    /** It was not started, or was stopped. */
    STOPPED,
    /** It is subscribed, also while the client reconnects. */
    RUNNING,
    /** It was stopped, takes no more messages, and finishes those that it has. */
    STOPPING,
    /** Its subscriptions are complete: the publisher has ended them, or what the method made of its Flux is complete. */
    COMPLETED,
    /** At least one of its subscriptions has failed in a way that reconnecting does not help against, and no other is left. */
    FAILED
}
