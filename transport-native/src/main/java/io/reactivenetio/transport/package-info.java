// SPDX-License-Identifier: Apache-2.0

/** The network backend: endpoints, buffers, credits and callbacks, without Reactor. */
@NullMarked
package io.reactivenetio.transport;

import org.jspecify.annotations.NullMarked;

