// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

/** Is told of the requests of one side of a connection, on the threads on which they begin and end. Its methods do not throw. */
public interface RequestObserver {

    void begun();

    /** A request has ended, {@code nanos} after it has begun. */
    void ended(RequestEnd end, long nanos);
}
