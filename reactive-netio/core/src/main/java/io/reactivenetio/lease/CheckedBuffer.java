// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.api.TaggedDecoder;
import io.reactivenetio.diagnostics.KeptBuffers;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.function.Function;

/**
 * The checking mode, {@code -Dio.reactivenetio.checkBuffers=true}: whoever may not keep a message gets a copy of it in an arena
 * of its own, which is closed when the message is taken away. A ByteBuffer that escaped then throws where it would otherwise
 * show another message. Costs nothing when off: the flag is a constant to the compiler.
 */
public final class CheckedBuffer implements AutoCloseable {
    public static final boolean ENABLED = Boolean.getBoolean("io.reactivenetio.checkBuffers");

    private final Arena arena;
    private final ByteBuffer data;

    private CheckedBuffer(Arena arena, ByteBuffer message) {
        int bytes = message.limit();
        this.arena = arena;
        this.data = arena.allocate(bytes).asByteBuffer().put(0, message, 0, bytes).order(message.order());
    }

    /** A copy of a message, from position 0 to limit, that any thread may close. */
    static CheckedBuffer shared(ByteBuffer message) {
        return new CheckedBuffer(Arena.ofShared(), message);
    }

    /** A copy of a message, from position 0 to limit, for this thread. */
    public static CheckedBuffer confined(ByteBuffer message) {
        return new CheckedBuffer(Arena.ofConfined(), message);
    }

    /** The decoder itself, or in checking mode one that sees each message in memory that is gone when it returns. */
    public static <T> Function<? super ByteBuffer, ? extends T> guard(Function<? super ByteBuffer, ? extends T> decoder) {
        if (!ENABLED) {
            return decoder;
        }
        return message -> {
            try (CheckedBuffer checked = confined(message)) {
                T made = decoder.apply(checked.data);
                KeptBuffers.check(made, checked.data, decoder);
                return made;
            }
        };
    }

    /** A decoder of messages with tag and status, whose buffers cannot be used after it returns. */
    public static <T> TaggedDecoder<? extends T> guard(TaggedDecoder<? extends T> decoder) {
        if (!ENABLED) {
            return decoder;
        }
        return (tag, status, message) -> {
            try (CheckedBuffer checked = confined(message)) {
                T made = decoder.decode(tag, status, checked.data);
                KeptBuffers.check(made, checked.data, decoder);
                return made;
            }
        };
    }

    /** The copy. */
    public ByteBuffer data() {
        return data;
    }

    /** Every view of it throws from now on. */
    @Override
    public void close() {
        arena.close();
    }
}
