// SPDX-License-Identifier: Apache-2.0

/** Internal. What the backends have in common: the buffers, the life of an endpoint, and the opening and closing of many. */
@NullMarked
package io.reactivenetio.transport.base;

import org.jspecify.annotations.NullMarked;

