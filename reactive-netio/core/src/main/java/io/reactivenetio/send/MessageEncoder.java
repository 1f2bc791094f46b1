// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Writes values as messages with the functions of a user's encoder, and checks what these do. It has no state: any thread may
 * use it, if the encoder allows that.
 */
public final class MessageEncoder<T> {
    /** Memory up to this size is used again for all messages of a send. More is let go of when the messages get small again. */
    private static final int KEPT = 256 * 1024;
    private static final int SMALLEST = 64;

    private final NetioEncoder<? super T> encoder;
    private final ByteOrder order;
    private final int largest;
    private final String whatToDo;

    /**
     * Messages of at most {@code largest} bytes.
     *
     * @param whatToDo what errors say about larger messages
     */
    public MessageEncoder(NetioEncoder<? super T> encoder, ByteOrder order, int largest, String whatToDo) {
        this.encoder = encoder;
        this.order = order;
        this.largest = largest;
        this.whatToDo = whatToDo;
    }

    /**
     * The messages of {@code values}. For each subscriber they are all in the same memory: a message must be copied before {@code
     * onNext} returns.
     */
    public Flux<ByteBuffer> messages(Publisher<? extends T> values) {
        return Flux.defer(() -> ForeignFlux.<T>of(values).map(new Scratch()::message));
    }

    /** The messages of the values in {@code batches}, otherwise as those of {@link #messages}. */
    public Flux<ByteBuffer> messagesOf(Publisher<? extends Iterable<? extends T>> batches) {
        return new BatchFlux<>(batches, () -> new Scratch()::message);
    }

    /** The message of {@code value} in a heap buffer of its own. */
    public ByteBuffer message(T value) {
        return write(value, ByteBuffer.allocate(size(value)));
    }

    private String name() {
        return encoder.getClass().getName();
    }

    private int size(T value) {
        int bytes;
        try {
            bytes = encoder.size(value);
        } catch (Throwable t) { // the user's
            throw UserCode.rethrown(t);
        }
        if (bytes < 0) {
            throw new IllegalArgumentException(name() + " says that a message has " + bytes
                    + " bytes: the size must be 0 or more");
        }
        if (bytes > largest) {
            throw new MessageTooLargeException(name() + " says that a message has " + bytes + " bytes; at most "
                    + largest + " can be sent: " + whatToDo);
        }
        return bytes;
    }

    /** Writes {@code value} from position 0 to the limit of {@code target}, where it begins and ends when this returns. */
    private ByteBuffer write(T value, ByteBuffer target) {
        int bytes = target.limit();
        try {
            encoder.encode(value, target.order(order));
        } catch (BufferOverflowException | IndexOutOfBoundsException e) {
            throw new IllegalStateException(name() + " failed behind byte " + target.position() + " of a message for"
                    + " which its size() had said " + bytes + " bytes: does it write more?", e);
        } catch (Throwable t) { // the user's
            throw UserCode.rethrown(t);
        }
        if (target.position() != bytes) {
            throw new IllegalStateException(name() + " wrote " + target.position() + " bytes of a message for which"
                    + " its size() had said " + bytes + ": encode must leave the buffer's position behind what it has written");
        }
        return target.flip();
    }

    /** The memory that the messages of one send are written in, one after the other. */
    private final class Scratch {
        private ByteBuffer memory = ByteBuffer.allocate(0);

        ByteBuffer message(T value) {
            int bytes = size(value);
            int present = memory.capacity();
            if (bytes > present || present > KEPT && bytes < present / 4) {
                memory = ByteBuffer.allocate(grown(bytes, present));
            }
            return write(value, memory.clear().limit(bytes));
        }

        /** Twice the present memory, so that messages which grow little by little do not each need some anew. */
        private int grown(int bytes, int present) {
            return bytes > KEPT ? Math.clamp(present * 2L, bytes, largest)
                    : Math.clamp(present * 2L, Math.max(bytes, SMALLEST), KEPT);
        }
    }
}
