// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.api.TaggedMessage;
import java.nio.ByteBuffer;

/**
 * Finds what to send of an element: its tag, its status and its payload. Called on the upstream's thread, or on the loop where
 * elements are polled.
 */
public interface MessageFields<T> {
    /** The fields of messages that have their own. */
    MessageFields<TaggedMessage> TAGGED = new MessageFields<>() {
        @Override
        public long tag(TaggedMessage element) {
            return element.tag();
        }

        @Override
        public int status(TaggedMessage element) {
            return element.status();
        }

        @Override
        public ByteBuffer payload(TaggedMessage element) {
            return element.payload();
        }
    };

    /** The fields of plain messages, which all have this tag and status 0. */
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

            @Override
            public boolean arePlain() {
                return true;
            }
        };
    }

    /** Whether all elements have the same tag, and status 0. */
    default boolean arePlain() {
        return false;
    }

    long tag(T element);

    /** The status of the element, 0 to 255. */
    int status(T element);

    /** The payload: the bytes from position to limit, neither of which is moved. */
    ByteBuffer payload(T element);
}
