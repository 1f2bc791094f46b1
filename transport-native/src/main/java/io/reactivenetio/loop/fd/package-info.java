// SPDX-License-Identifier: Apache-2.0

/** Internal. The file descriptors that an event loop opens for itself, and how it waits for all that it has. */
@NullMarked
package io.reactivenetio.loop.fd;

import org.jspecify.annotations.NullMarked;
