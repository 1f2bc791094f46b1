// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the pages that all streams of a connection share: when they are written, the credits for those of the peer, whether
 * the peer is there, and how the connection ends.
 */
@NullMarked
package io.reactivenetio.framing.stream.page;

import org.jspecify.annotations.NullMarked;
