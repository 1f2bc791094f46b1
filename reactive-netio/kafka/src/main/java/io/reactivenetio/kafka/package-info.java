// SPDX-License-Identifier: Apache-2.0

/**
 * Streams by tag into topics of Kafka ({@link io.reactivenetio.kafka.NetioKafkaSink}), and from there to subscribers again
 * ({@link io.reactivenetio.kafka.NetioKafkaSource}).
 */
@NullMarked
package io.reactivenetio.kafka;

import org.jspecify.annotations.NullMarked;
