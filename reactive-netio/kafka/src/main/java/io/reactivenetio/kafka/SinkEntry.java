// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * One element of the upstream on its way: made on the upstream's thread, then the sink's thread has it. Kafka's I/O thread tells
 * the outcome, which {@link #done} publishes.
 */
final class SinkEntry implements Callback {
    private final @Nullable TaggedMessage message;
    private final @Nullable SequencedEvent event;
    private final long run;
    private final long sequence;
    private final byte[] value;
    private final long nanosTime;
    private final Runnable wake;
    private @Nullable String topic;
    private @Nullable RecordMetadata metadata;
    private @Nullable Exception failure;
    private @Nullable Thread teller;
    private volatile boolean done;

    private SinkEntry(@Nullable TaggedMessage message, @Nullable SequencedEvent event, long run, long sequence, byte[] value,
            Runnable wake) {
        this.message = message;
        this.event = event;
        this.run = run;
        this.sequence = sequence;
        this.value = value;
        this.wake = wake;
        Instant now = Instant.now();
        this.nanosTime = now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }

    /**
     * Creates the entry of what a sequenced subscription tells. Its payloads belong to the receiver: an array of the right
     * size is not copied.
     */
    static SinkEntry of(SequencedEvent event, Runnable wake) {
        return event instanceof SequencedMessage sequenced
                ? new SinkEntry(sequenced.message(), null, sequenced.run(), sequenced.sequence(),
                        array(sequenced.message()), wake)
                : new SinkEntry(null, event, event.run(), 0, new byte[0], wake);
    }

    /** Creates the entry of a message whose payload is the caller's again afterwards. */
    static SinkEntry of(TaggedMessage message, Runnable wake) {
        return new SinkEntry(message, null, 0, 0, copy(message), wake);
    }

    private static byte[] array(TaggedMessage message) {
        var payload = message.payload();
        return payload.hasArray() && payload.arrayOffset() == 0 && payload.array().length == payload.remaining()
                ? payload.array() : copy(message);
    }

    private static byte[] copy(TaggedMessage message) {
        byte[] bytes = new byte[message.payload().remaining()];
        message.payload().get(message.payload().position(), bytes);
        return bytes;
    }

    /** A gap, or a change of the run; null if this is a message. */
    @Nullable SequencedEvent event() {
        return event;
    }

    long tag() {
        return message == null ? 0 : message.tag();
    }

    int status() {
        return message == null ? 0 : message.status();
    }

    long run() {
        return run;
    }

    long sequence() {
        return sequence;
    }

    byte[] value() {
        return value;
    }

    /** Since 1970. */
    long nanosTime() {
        return nanosTime;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata told, @Nullable Exception exception) {
        metadata = told;
        failure = exception;
        teller = Thread.currentThread();
        done = true;
        wake.run();
    }

    boolean done() {
        return done;
    }

    /** When done: whether the producer has refused it within {@code send}, on this thread, and so never had it. */
    boolean wasRefused() {
        return failure != null && teller == Thread.currentThread();
    }

    /** To send it again, if it was refused. */
    void again() {
        failure = null;
        done = false;
    }

    /** When done; null if the record is in Kafka. */
    @Nullable Exception failure() {
        return failure;
    }

    /** When done without a failure. */
    Acknowledgement acknowledgement() {
        RecordMetadata place = metadata;
        return place == null ? new Acknowledgement(tag(), run, sequence, "", -1, -1, value.length)
                : new Acknowledgement(tag(), run, sequence, place.topic(), place.partition(), place.offset(), value.length);
    }

    /** To {@code chosen}, on the sink's thread. */
    void goesTo(String chosen) {
        topic = chosen;
    }

    /** Null as long as none is chosen. */
    @Nullable String topic() {
        return topic;
    }

    /** For a user's function: the payload cannot be changed by it, and is read as the subscriber would. */
    TaggedMessage view() {
        ByteOrder order = message == null ? ByteOrder.BIG_ENDIAN : message.payload().order();
        return new TaggedMessage(tag(), status(), ByteBuffer.wrap(value).asReadOnlyBuffer().order(order));
    }

    /** Returns a name for errors. */
    String name() {
        return "the message with tag " + Long.toUnsignedString(tag())
                + (run == 0 ? "" : ", sequence " + Long.toUnsignedString(sequence) + " of run " + Long.toHexString(run))
                + " (" + value.length + " bytes)";
    }
}
