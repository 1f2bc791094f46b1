// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.TaggedMessage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Messages of 8 bytes that are numbers, so that what is missing shows. */
public final class Numbers {

    private Numbers() {
    }

    public static ByteBuffer number(long n) {
        return ByteBuffer.allocate(8).putLong(0, n);
    }

    public static Flux<ByteBuffer> numbers(int count) {
        return Flux.range(0, count).map(Numbers::number);
    }

    public static long number(TaggedMessage message) {
        return message.payload().getLong(0);
    }

    public static void emit(Sinks.Many<ByteBuffer> sink, long from, long to) {
        for (long n = from; n < to; n++) {
            sink.tryEmitNext(number(n)).orThrow();
        }
    }

    public static List<Long> upTo(long count) {
        return LongStream.range(0, count).boxed().toList();
    }
}
