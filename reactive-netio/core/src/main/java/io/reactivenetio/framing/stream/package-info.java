// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: STREAM framing. Demand, completion, error and cancel of many streams over one connection, as docs/wire-format.md
 * says; {@code io.reactivenetio.wire} knows the bytes, this package knows what follows from them. {@link StreamSession} has the
 * streams of both directions: {@link InStreams}, which this side receives, and {@link OutStreams}, which the peer receives. All
 * share the pages of the connection ({@link PageScheduler}).
 */
@NullMarked
package io.reactivenetio.framing.stream;

import org.jspecify.annotations.NullMarked;
