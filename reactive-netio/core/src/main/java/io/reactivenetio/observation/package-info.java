// SPDX-License-Identifier: Apache-2.0

/**
 * Micrometer's Observation API for connections, subscriptions, requests and answers, and so traces that go from one process to
 * the next. {@link io.reactivenetio.observation.NetioObservations} is what a program needs.
 */
@NullMarked
package io.reactivenetio.observation;

import org.jspecify.annotations.NullMarked;
