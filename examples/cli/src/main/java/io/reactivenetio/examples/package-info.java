// SPDX-License-Identifier: Apache-2.0

/** The netio command. */
@NullMarked
package io.reactivenetio.examples;

import org.jspecify.annotations.NullMarked;

