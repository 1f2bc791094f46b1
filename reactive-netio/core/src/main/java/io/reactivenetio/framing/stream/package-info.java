// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: STREAM framing. Demand, completion, error and cancel of many streams over one connection, as docs/wire-format.md
 * says; {@code io.reactivenetio.wire} knows the bytes, this package and those below it what follows from them. Here is the
 * session, which has the streams of both directions.
 */
@NullMarked
package io.reactivenetio.framing.stream;

import org.jspecify.annotations.NullMarked;
