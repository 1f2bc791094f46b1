// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: STREAM framing. Demand, completion, error and cancel of many streams over one connection, as docs/wire-format.md
 * says; {@code io.reactivenetio.wire} knows the bytes, this package what follows from them.
 */
@NullMarked
package io.reactivenetio.framing.stream;

import org.jspecify.annotations.NullMarked;
