// SPDX-License-Identifier: Apache-2.0

/** The events of the demonstration, their fragments, and what may be wrong with them. */
@NullMarked
package io.reactivenetio.examples.demo.event;

import org.jspecify.annotations.NullMarked;
