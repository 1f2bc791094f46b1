// SPDX-License-Identifier: Apache-2.0

/**
 * Sinks and sources of Kafka, as {@code netio.kafka.*} says. Applications use the customizers; the other classes are
 * internal.
 */
@NullMarked
package io.reactivenetio.spring.kafka;

import org.jspecify.annotations.NullMarked;
