// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.exceptions;

/** A message does not fit the buffer it needs: on the sender before anything is sent, on the receiver when it arrives. */
public final class MessageTooLargeException extends NetioException {
    private static final long serialVersionUID = 1L;

    public MessageTooLargeException(String message) {
        super(message);
    }
}
