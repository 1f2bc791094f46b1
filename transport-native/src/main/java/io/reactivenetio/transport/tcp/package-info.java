// SPDX-License-Identifier: Apache-2.0

/** Internal. The network backend over plain TCP sockets. */
@NullMarked
package io.reactivenetio.transport.tcp;

import org.jspecify.annotations.NullMarked;

