// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.transport.exceptions.NetioException;
import java.time.Duration;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/** Waits for a Mono and throws its error as it is, for the {@code …Now} methods. */
public final class BlockingMono {

    private BlockingMono() {
    }

    /** The element of {@code mono}. {@code what} is what took too long or gave nothing, for errors. Not on a loop's thread. */
    public static <T> T await(Mono<T> mono, Duration timeout, String what) {
        try {
            T value = mono.block(timeout);
            if (value == null) {
                throw new NetioException(what + " gave nothing");
            }
            return value;
        } catch (RuntimeException e) {
            Throwable cause = Exceptions.unwrap(e);
            if (cause instanceof NetioException n) {
                throw n;
            }
            if (e instanceof IllegalStateException && String.valueOf(e.getMessage()).startsWith("Timeout")) {
                throw new NetioException(what + " took longer than " + timeout.toMillis() + " ms", e);
            }
            throw e;
        }
    }
}
