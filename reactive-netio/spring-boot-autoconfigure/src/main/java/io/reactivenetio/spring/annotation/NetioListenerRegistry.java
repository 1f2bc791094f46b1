// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import java.util.Collection;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Mono;

/**
 * The listeners of an application, by id. They start after everything else and stop before everything else. A stop waits until
 * the messages that are here are done, as long as {@code spring.lifecycle.timeout-per-shutdown-phase} allows; what is not done by
 * the time the beans are destroyed is aborted. All methods may be called on any thread. The starter has the only implementation,
 * and makes the bean.
 */
public interface NetioListenerRegistry extends SmartLifecycle {
    /** All listeners, in no particular order. */
    Collection<NetioListenerContainer> listeners();

    /**
     * The listener of this id.
     *
     * @throws IllegalArgumentException if there is none; it says which there are
     */
    NetioListenerContainer listener(String id);

    /**
     * Starts a listener, see {@link NetioListenerContainer#start}.
     *
     * @throws IllegalArgumentException if there is no listener of this id
     */
    void start(String id);

    /**
     * Stops a listener, see {@link NetioListenerContainer#stop}.
     *
     * @throws IllegalArgumentException if there is no listener of this id
     */
    Mono<Void> stop(String id);

    /** Stops all listeners, and waits until they have, at most half a minute. */
    @Override
    void stop();
}
