// SPDX-License-Identifier: Apache-2.0

/** Internal: Reactor's Scheduler on an event loop, and one for messages that must not be lost. */
@NullMarked
package io.reactivenetio.scheduler;

import org.jspecify.annotations.NullMarked;
