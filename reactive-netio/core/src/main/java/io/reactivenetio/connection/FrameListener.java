// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

/** Is told what is in a buffer, see {@link Session#describe}. */
@FunctionalInterface
public interface FrameListener {

    /**
     * One frame or message.
     *
     * @param what it is, with its fields
     * @param at the index in the buffer at which its payload begins
     * @param length of its payload in bytes; -1 if it has none
     */
    void frame(String what, int at, int length);
}
