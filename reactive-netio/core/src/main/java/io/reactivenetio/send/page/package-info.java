// SPDX-License-Identifier: Apache-2.0

/**
 * Internal: the sending side of framings that put many messages into a page: senders, their turns, and what is known to have
 * arrived. What a page looks like, and who posts it, is the framing's.
 */
@NullMarked
package io.reactivenetio.send.page;

import org.jspecify.annotations.NullMarked;
