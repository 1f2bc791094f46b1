// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.send.MessageFields;
import io.reactivenetio.transport.CompletionLevel;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The session of a framing in which every message has a tag and a status, those that are received as well. */
public interface TaggedSession extends Session {

    /** Sends each element under its tag and with its status, on the connection itself. Any thread. */
    <T> Mono<Void> sendTagged(Publisher<? extends T> messages, CompletionLevel level, MessageFields<? super T> packing);
}
