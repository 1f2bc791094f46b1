// SPDX-License-Identifier: Apache-2.0

/** Internal. The common part of the backends: buffers, the life cycle of an endpoint, opening and closing of endpoints. */
@NullMarked
package io.reactivenetio.transport.base;

import org.jspecify.annotations.NullMarked;

