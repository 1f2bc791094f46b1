// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import java.nio.ByteBuffer;
import reactor.core.publisher.Flux;

/** Messages of four bytes. */
final class Messages {

    private Messages() {
    }

    static Flux<ByteBuffer> numbers(int from, int count) {
        return Flux.range(from, count).map(n -> ByteBuffer.allocate(Integer.BYTES).putInt(0, n));
    }
}
