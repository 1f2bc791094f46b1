// SPDX-License-Identifier: Apache-2.0

/**
 * What Micrometer shows of connections, publishers, subscribers, loops and requests: meters, and observations, which may be
 * traces from one process to the next. Nothing else in the library knows Micrometer.
 */
@NullMarked
package io.reactivenetio.micrometer;

import org.jspecify.annotations.NullMarked;
