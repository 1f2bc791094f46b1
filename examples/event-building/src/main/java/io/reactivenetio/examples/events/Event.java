// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import java.nio.ByteBuffer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * An event as it is written to Kafka.
 *
 * @param number which one it is of all that the job has built, from 1. After a restart of the job, numbers that were given
 *     after the last checkpoint are given again. So each is in the topic at least once
 * @param event the event
 * @param links the links whose fragments it has, one bit for each
 */
public record Event(long number, long event, int links) {
    private static final int VALUE = 12;

    /** The key is the event, so one that was built twice is in one partition. */
    ProducerRecord<byte[], byte[]> record(String topic) {
        byte[] value = ByteBuffer.allocate(VALUE).putLong(number).putInt(links).array();
        return new ProducerRecord<>(topic, ByteBuffer.allocate(Long.BYTES).putLong(event).array(), value);
    }

    /** Reads what {@link #record} has made. */
    static Event of(byte[] key, byte[] value) {
        ByteBuffer content = ByteBuffer.wrap(value);
        return new Event(content.getLong(), ByteBuffer.wrap(key).getLong(), content.getInt());
    }
}
