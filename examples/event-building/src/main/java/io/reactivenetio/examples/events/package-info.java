// SPDX-License-Identifier: Apache-2.0

/**
 * Event building: each link of a detector publishes a fragment of every event, and Flink puts the fragments of an event together.
 * {@link io.reactivenetio.examples.events.ClusterDemo} kills a part of the cluster meanwhile, and accounts for each message.
 */
@NullMarked
package io.reactivenetio.examples.events;

import org.jspecify.annotations.NullMarked;
