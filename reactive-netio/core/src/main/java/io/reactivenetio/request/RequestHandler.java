// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import java.nio.ByteBuffer;
import java.util.Map;
import reactor.core.publisher.Mono;

/** Answers the requests of a {@link Responder}. */
@FunctionalInterface
public interface RequestHandler {

    /**
     * The answer to one request. Called on the loop; what it throws is the failure of the request.
     *
     * @param headers of the request: a Map that does not change
     * @param payload a heap buffer, which is the handler's own
     */
    Mono<? extends ByteBuffer> answer(Map<String, String> headers, ByteBuffer payload);
}
