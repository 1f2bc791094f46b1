// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

/**
 * What a {@link NetioKafkaSource} has done until one moment, in all its subscriptions.
 *
 * @param emitted messages given to subscribers
 * @param bytes bytes in the values of their records
 * @param lag records that are known to follow, as of the last poll; with transactions or compaction, some
 *     of these offsets have no record
 */
public record KafkaSourceStatistics(long emitted, long bytes, long lag) {
}
