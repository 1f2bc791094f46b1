// SPDX-License-Identifier: Apache-2.0

/** Draws on a terminal: lines, grids, histograms and films of text. */
@NullMarked
package io.reactivenetio.examples.demo.screen;

import org.jspecify.annotations.NullMarked;
