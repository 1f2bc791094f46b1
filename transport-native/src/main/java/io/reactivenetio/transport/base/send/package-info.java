// SPDX-License-Identifier: Apache-2.0

/** Internal. The sends of an endpoint: the pools of their buffers, who owns each, and what is in flight. */
@NullMarked
package io.reactivenetio.transport.base.send;

import org.jspecify.annotations.NullMarked;
