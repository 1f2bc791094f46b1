// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.transport.SendCompletion;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The session of a framing in which every message, sent or received, has a tag and a status. */
public interface TaggedSession extends Session {

    /** Sends each element with its tag and status, on the connection itself. The payload is copied. Any thread. */
    Mono<Void> sendTagged(Publisher<TaggedMessage> messages, SendCompletion level);
}
