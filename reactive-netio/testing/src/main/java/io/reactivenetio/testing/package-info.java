// SPDX-License-Identifier: Apache-2.0

/** What the tests of all modules have in common. */
@NullMarked
package io.reactivenetio.testing;

import org.jspecify.annotations.NullMarked;

