// SPDX-License-Identifier: Apache-2.0

/** A page of the rates and gaps of the events that {@code ./netio cluster-demo} has in a topic of Kafka. */
@NullMarked
package io.reactivenetio.examples.eventpage;

import org.jspecify.annotations.NullMarked;
