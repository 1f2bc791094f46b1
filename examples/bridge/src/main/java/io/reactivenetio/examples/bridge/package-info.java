// SPDX-License-Identifier: Apache-2.0

/** What netio's commands bridge, record and replay do. */
@NullMarked
package io.reactivenetio.examples.bridge;

import org.jspecify.annotations.NullMarked;
