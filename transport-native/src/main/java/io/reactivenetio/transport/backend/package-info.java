// SPDX-License-Identifier: Apache-2.0

/** The network backend: endpoints, buffers, credits and callbacks, without Reactor. For this library's own modules. */
@NullMarked
package io.reactivenetio.transport.backend;

import org.jspecify.annotations.NullMarked;
