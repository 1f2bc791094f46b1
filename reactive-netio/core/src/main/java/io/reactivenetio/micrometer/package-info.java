// SPDX-License-Identifier: Apache-2.0

/**
 * What Micrometer shows of connections, publishers, subscribers, loops and requests: meters, and observations, which may be
 * traces from one process to the next. Micrometer is an optional dependency, and this the only package that knows it. A program
 * that uses it needs {@code micrometer-core}, and a modular program requires {@code micrometer.core} itself.
 */
@NullMarked
package io.reactivenetio.micrometer;

import org.jspecify.annotations.NullMarked;
