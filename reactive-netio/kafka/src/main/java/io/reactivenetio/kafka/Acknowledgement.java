// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

/**
 * A message that is in Kafka: all in-sync replicas have it, and with transactions, its transaction is committed.
 *
 * @param tag the message's tag
 * @param run the run of its source, or 0 if the message was not sequenced
 * @param sequence its number in the run; 0 if it was not sequenced
 * @param topic the topic
 * @param partition the partition of the topic
 * @param offset the record's offset in the partition
 * @param bytes the payload's size
 */
public record Acknowledgement(long tag, long run, long sequence, String topic, int partition, long offset, int bytes) {
}
