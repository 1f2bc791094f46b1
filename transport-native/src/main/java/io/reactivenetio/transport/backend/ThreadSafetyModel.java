// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

/** Which threads may call a backend. Its callbacks come on the loop's thread in both models. */
public enum ThreadSafetyModel {
    /**
     * Any thread. A call returns its status at once: a send takes its buffer and its place in flight there and then, and the
     * work is done on the loop. What one thread sends on a connection stays in that order. Costs a lock per call, and a task of
     * the loop per burst of calls from elsewhere.
     */
    SAFE,
    /** The loop's thread only; a call on another is an {@link IllegalStateException}. No lock anywhere. */
    UNSAFE
}
