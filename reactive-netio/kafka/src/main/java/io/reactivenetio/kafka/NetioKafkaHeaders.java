// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The headers of the records that a {@link NetioKafkaSink} writes. All values are numbers in big-endian order. The record's key
 * is the tag once more, as 8 bytes, its value is the payload, and its timestamp is {@link #TIME} in milliseconds, or what
 * {@link NetioKafkaSink#timestamp} gives.
 */
public final class NetioKafkaHeaders {
    /** The message's tag, 8 bytes. */
    public static final String TAG = "netio-tag";
    /** The message's status, 1 byte. */
    public static final String STATUS = "netio-status";
    /** The run of the source, 8 bytes; only of sequenced messages. */
    public static final String RUN = "netio-run";
    /** The message's number in the run, 8 bytes, beginning with 0; only of sequenced messages. */
    public static final String SEQUENCE = "netio-sequence";
    /** When the message came to the sink, in nanoseconds since 1970, 8 bytes. */
    public static final String TIME = "netio-time";

    /** More than all headers, the key, and what Kafka adds to a record that is alone in its batch, in bytes. */
    static final int OVERHEAD = 200;

    private static final byte[][] STATUSES = statuses();

    private NetioKafkaHeaders() {
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Written(String key, byte[] value) implements Header {
    }

    private static byte[][] statuses() {
        byte[][] all = new byte[256][];
        for (int i = 0; i < all.length; i++) {
            all[i] = new byte[] {(byte) i};
        }
        return all;
    }

    static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    /** Returns the headers of {@code entry}; {@code tag} is the tag's bytes. */
    static List<Header> of(SinkEntry entry, byte[] tag) {
        Header tagHeader = new Written(TAG, tag);
        Header status = new Written(STATUS, STATUSES[entry.status()]);
        Header time = new Written(TIME, bytes(entry.nanosTime()));
        return entry.run() == 0 ? List.of(tagHeader, status, time)
                : List.of(tagHeader, status, new Written(RUN, bytes(entry.run())),
                        new Written(SEQUENCE, bytes(entry.sequence())), time);
    }

    /** The tag: that of the header, or the key's if it has 8 bytes. */
    public static OptionalLong tag(ConsumerRecord<byte[], byte[]> message) {
        OptionalLong tag = number(message.headers(), TAG);
        byte[] key = message.key();
        return tag.isPresent() || key == null || key.length != Long.BYTES ? tag : OptionalLong.of(ByteBuffer.wrap(key).getLong());
    }

    /** The status, or 0 if the record has none. */
    public static int status(ConsumerRecord<byte[], byte[]> message) {
        Header header = message.headers().lastHeader(STATUS);
        return header == null || header.value() == null || header.value().length != 1 ? 0 : header.value()[0] & 0xff;
    }

    /** The run, if the record has one. */
    public static OptionalLong run(ConsumerRecord<byte[], byte[]> message) {
        return number(message.headers(), RUN);
    }

    /** The number in the run, if the record has one. */
    public static OptionalLong sequence(ConsumerRecord<byte[], byte[]> message) {
        return number(message.headers(), SEQUENCE);
    }

    /** When the message came to the sink, in nanoseconds since 1970; the record's timestamp if it has no such header. */
    public static long time(ConsumerRecord<byte[], byte[]> message) {
        OptionalLong time = number(message.headers(), TIME);
        return time.isPresent() ? time.getAsLong() : message.timestamp() * 1_000_000;
    }

    /**
     * The message that a sink has made this record of. A record without a value, as compaction's tombstones are, is a message
     * without bytes.
     *
     * @throws NetioKafkaException if the record has no tag
     */
    public static TaggedMessage message(ConsumerRecord<byte[], byte[]> message) {
        long tag = tag(message).orElseThrow(() -> new NetioKafkaException(NetioKafkaException.Reason.NOT_A_MESSAGE,
                "the record at offset " + message.offset() + " of " + message.topic() + "-" + message.partition()
                        + " has no tag: neither a header " + TAG + " of 8 bytes nor a key of 8 bytes, but the key "
                        + keyText(message.key()) + ". Give the source a decoder for such records", null));
        byte[] value = message.value();
        return new TaggedMessage(tag, status(message), value == null ? ByteBuffer.allocate(0) : ByteBuffer.wrap(value));
    }

    private static String keyText(byte @Nullable [] key) {
        return key == null ? "null" : key.length > 16 ? "of " + key.length + " bytes" : Arrays.toString(key);
    }

    private static OptionalLong number(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null || header.value() == null || header.value().length != Long.BYTES ? OptionalLong.empty()
                : OptionalLong.of(ByteBuffer.wrap(header.value()).getLong());
    }
}
