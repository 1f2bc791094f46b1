// SPDX-License-Identifier: Apache-2.0

/** Internal: the streams of a connection that this side receives: their frames, their messages and their demand. */
@NullMarked
package io.reactivenetio.framing.stream.receive;

import org.jspecify.annotations.NullMarked;
