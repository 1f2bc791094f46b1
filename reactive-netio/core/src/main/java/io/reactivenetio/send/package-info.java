// SPDX-License-Identifier: Apache-2.0

/** Internal: the sending side of a connection: from a Publisher to send buffers, in turns, up to the acknowledgement. */
@NullMarked
package io.reactivenetio.send;

import org.jspecify.annotations.NullMarked;
