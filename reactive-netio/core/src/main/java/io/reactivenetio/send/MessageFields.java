// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import java.nio.ByteBuffer;

/** What of an element is sent where messages have a tag and a status. On the upstream's thread. */
public interface MessageFields<T> {
    /** Plain messages: all with this tag, and status 0. */
    static MessageFields<ByteBuffer> plain(long tag) {
        return new MessageFields<>() {
            @Override
            public long tag(ByteBuffer element) {
                return tag;
            }

            @Override
            public int status(ByteBuffer element) {
                return 0;
            }

            @Override
            public ByteBuffer payload(ByteBuffer element) {
                return element;
            }
        };
    }

    long tag(T element);

    /** 0 to 255. */
    int status(T element);

    /** From its position to its limit, neither of which is moved. */
    ByteBuffer payload(T element);
}
