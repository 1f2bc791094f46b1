// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

/** On which threads an annotated method is called: whether it may block. */
public enum BlockingMode {
    /**
     * What the method returns decides. One that returns a Publisher or a future is called on the loop, since it says that it
     * does not wait. Every other is called on a virtual thread, since it may wait, and a loop that waits stops every
     * connection it has.
     */
    BY_RETURN_TYPE,

    /** On a virtual thread, whatever it returns. It may block. */
    VIRTUAL_THREADS,

    /**
     * On the connection's loop, or on the thread on which the work before it ended, whatever it returns. It must not block. This
     * saves the change of threads, which takes some microseconds for a message that comes alone.
     */
    NON_BLOCKING
}
