// SPDX-License-Identifier: Apache-2.0

/** Internal. TLS between a connection and its backend, over any backend: it seals and opens whole messages. */
@NullMarked
package io.reactivenetio.transport.tls;

import org.jspecify.annotations.NullMarked;
