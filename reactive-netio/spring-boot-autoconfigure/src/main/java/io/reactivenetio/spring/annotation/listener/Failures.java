// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.spring.Thrown;
import io.reactivenetio.spring.annotation.NetioErrorHandler;
import io.reactivenetio.spring.annotation.NetioFailure;
import io.reactivenetio.spring.annotation.NetioFailure.Kind;
import io.reactivenetio.spring.annotation.NetioListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a listener's error handler what has failed. Any thread. */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(NetioListener.class);

    private final String listener;
    private final NetioErrorHandler handler;

    Failures(String listener, NetioErrorHandler handler) {
        this.listener = listener;
        this.handler = handler;
    }

    /** What is done where there is no handler. */
    static void log(NetioFailure failure) {
        String then = switch (failure.kind()) {
            case DECODING -> "could not be decoded, and the listener goes on";
            case MESSAGE -> (failure.attempts() > 1 ? "has failed " + failure.attempts() + " times" : "has failed")
                    + ", and the listener goes on";
            case FLUX -> "has failed, and the method is called again";
            case SUBSCRIPTION -> "has ended";
        };
        LOG.error("listener {}: {} {}", failure.listener(), failure.what(), then, Thrown.loggable(failure.error()));
    }

    void message(Message message, int attempts, Throwable error) {
        tell(new NetioFailure(listener, message.error() == null ? Kind.MESSAGE : Kind.DECODING,
                "a message of tag " + Long.toUnsignedString(message.tag()), message.tag(), message.status(), message.content(),
                attempts, error));
    }

    void flux(Throwable error) {
        tell(new NetioFailure(listener, Kind.FLUX, "what it makes of its Flux", 0, 0, null, 0, error));
    }

    /** {@code what}: which subscription. */
    void subscription(String what, Throwable error) {
        tell(new NetioFailure(listener, Kind.SUBSCRIPTION, what, 0, 0, null, 0, error));
    }

    private void tell(NetioFailure failure) {
        try {
            handler.handle(failure);
        } catch (Throwable t) { // the user's; the messages go on
            LOG.error("the error handler of listener {} has thrown", listener, Thrown.loggable(t));
            log(failure);
        }
    }
}
