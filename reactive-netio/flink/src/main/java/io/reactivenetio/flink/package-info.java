// SPDX-License-Identifier: Apache-2.0

/**
 * Publishers as a source of Apache Flink.
 *
 * <p>{@link io.reactivenetio.flink.NetioSource} subscribes to what a {@link io.reactivenetio.pubsub.NetioPublisher} serves. It is
 * live, and so at most once: what is missing is not sent again, but told in numbers, to the {@link
 * io.reactivenetio.flink.NetioDeserializationSchema} and to Flink's metrics. Checkpoints hold how far each split has come. So the
 * messages that a job misses while it restarts are told, too.
 */
@NullMarked
package io.reactivenetio.flink;

import org.jspecify.annotations.NullMarked;
