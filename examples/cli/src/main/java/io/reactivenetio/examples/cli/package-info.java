// SPDX-License-Identifier: Apache-2.0

/** What netio's commands info, send and recv do. */
@NullMarked
package io.reactivenetio.examples.cli;

import org.jspecify.annotations.NullMarked;

