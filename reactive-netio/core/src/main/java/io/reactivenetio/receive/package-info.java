// SPDX-License-Identifier: Apache-2.0

/** Internal: the receiving side of a connection as a Flux: demand, messages that wait, and their end. */
@NullMarked
package io.reactivenetio.receive;

import org.jspecify.annotations.NullMarked;
