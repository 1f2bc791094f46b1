// SPDX-License-Identifier: Apache-2.0

/** A backend whose network is played in memory, at somebody else's time. */
@NullMarked
package io.reactivenetio.simulated;

import org.jspecify.annotations.NullMarked;
