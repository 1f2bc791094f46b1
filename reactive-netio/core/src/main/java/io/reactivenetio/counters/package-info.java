// SPDX-License-Identifier: Apache-2.0

/** Internal: what a connection counts. */
@NullMarked
package io.reactivenetio.counters;

import org.jspecify.annotations.NullMarked;
