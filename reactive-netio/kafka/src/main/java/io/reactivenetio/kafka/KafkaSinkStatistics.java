// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

/**
 * What a {@link NetioKafkaSink} has done until one moment, in all its subscriptions. Figures of "now" may be of slightly
 * different instants.
 *
 * @param sent messages handed to Kafka's producer
 * @param acknowledged messages that are in Kafka, with transactions: committed
 * @param failed messages that were taken and are not known to be in Kafka, with those that were left out as too large
 * @param tooLarge messages that were left out because they are too large
 * @param bytes bytes in the payloads of the acknowledged messages
 * @param inFlight messages that were taken and are not acknowledged now
 * @param inFlightBytes bytes in their payloads
 * @param gaps how often messages were missing from the streams
 * @param missed how many messages were missing, as far as that is known
 * @param runs how often a source has begun anew, after which it is not known how many are missing
 * @param transactions transactions that were committed
 */
public record KafkaSinkStatistics(long sent, long acknowledged, long failed, long tooLarge, long bytes, long inFlight,
        long inFlightBytes, long gaps, long missed, long runs, long transactions) {
}
