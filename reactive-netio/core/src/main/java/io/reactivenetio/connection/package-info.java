// SPDX-License-Identifier: Apache-2.0

/** Internal: a connection and its loop, and what a framing has to be: {@code FramingProvider} and {@code Session}. */
@NullMarked
package io.reactivenetio.connection;

import org.jspecify.annotations.NullMarked;
