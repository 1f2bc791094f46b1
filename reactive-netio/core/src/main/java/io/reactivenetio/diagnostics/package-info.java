// SPDX-License-Identifier: Apache-2.0

/** Internal: finds mistakes that users make often, and the place in their program. */
@NullMarked
package io.reactivenetio.diagnostics;

import org.jspecify.annotations.NullMarked;
