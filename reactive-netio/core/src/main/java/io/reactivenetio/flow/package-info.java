// SPDX-License-Identifier: Apache-2.0

/** Internal. Receive Flux, send Subscriber and Scheduler, confined to one event loop. */
@NullMarked
package io.reactivenetio.flow;

import org.jspecify.annotations.NullMarked;
