// SPDX-License-Identifier: Apache-2.0

/** Internal: Reactor's Scheduler on an event loop. */
@NullMarked
package io.reactivenetio.scheduler;

import org.jspecify.annotations.NullMarked;
