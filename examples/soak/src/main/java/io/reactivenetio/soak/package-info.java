// SPDX-License-Identifier: Apache-2.0

/** Injects faults for minutes, at scale and in processes of its own, and counts what becomes of every message. */
@NullMarked
package io.reactivenetio.soak;

import org.jspecify.annotations.NullMarked;
