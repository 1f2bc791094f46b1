// SPDX-License-Identifier: Apache-2.0

/**
 * Small programs, each with a main method that runs by itself for a second or two, ends with exit code 0, and prints something to
 * look at. {@link io.reactivenetio.examples.ladder.Ladder} lists them, docs/examples.md shows them, and {@code ./netio example}
 * runs them.
 */
@NullMarked
package io.reactivenetio.examples.ladder;

import org.jspecify.annotations.NullMarked;
