// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

/**
 * Is told what goes wrong in listeners. It is called where the listener's method is: on a virtual thread, or on a loop or the
 * thread on which a Publisher has failed, where it must not block. Until it returns, the message counts as being worked on. What
 * it throws is logged, and the listener goes on.
 */
@FunctionalInterface
public interface NetioErrorHandler {

    /** Is told that a message has failed, for good: it is not tried again. */
    void handle(NetioFailure failure);
}
