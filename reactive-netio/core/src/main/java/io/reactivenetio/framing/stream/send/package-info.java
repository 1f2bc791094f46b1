// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the streams of a connection that the peer receives: who sends on them or serves them, and how their messages lie in
 * pages.
 */
@NullMarked
package io.reactivenetio.framing.stream.send;

import org.jspecify.annotations.NullMarked;
