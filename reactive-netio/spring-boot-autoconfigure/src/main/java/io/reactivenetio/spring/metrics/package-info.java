// SPDX-License-Identifier: Apache-2.0

/** Meters and observations, where Micrometer is there. Internal, except for the auto-configurations. */
@NullMarked
package io.reactivenetio.spring.metrics;

import org.jspecify.annotations.NullMarked;
