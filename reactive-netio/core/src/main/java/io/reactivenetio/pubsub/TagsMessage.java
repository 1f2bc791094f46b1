// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;

/** How {@link NetioPublisher#publishTags} writes a choice of tags: its kind, 0 to 2, and its two numbers, big-endian. */
final class TagsMessage {
    private static final int BYTES = 1 + 2 * Long.BYTES;
    private static final byte ONE = 0;
    private static final byte RANGE = 1;
    private static final byte MASK = 2;

    private TagsMessage() {
    }

    static ByteBuffer of(Tags tags) {
        byte kind = switch (tags.kind()) {
            case ONE -> ONE;
            case RANGE -> RANGE;
            case MASK -> MASK;
        };
        return ByteBuffer.allocate(BYTES).put(kind).putLong(tags.first()).putLong(tags.second()).flip();
    }

    /** @throws IllegalArgumentException if the message is another one */
    static Tags read(ByteBuffer message) {
        ByteBuffer bytes = message.duplicate(); // big-endian, whatever the client's order is
        if (bytes.remaining() != BYTES) {
            throw other(bytes.remaining() + " bytes");
        }
        byte code = bytes.get();
        Tags.Kind kind = switch (code) {
            case ONE -> Tags.Kind.ONE;
            case RANGE -> Tags.Kind.RANGE;
            case MASK -> Tags.Kind.MASK;
            default -> throw other("kind " + code);
        };
        return new Tags(kind, bytes.getLong(), bytes.getLong());
    }

    private static IllegalArgumentException other(String what) {
        return new IllegalArgumentException("a message of " + what + " says no tags: subscribe to the tag that the publisher gave"
                + " to publishTags");
    }
}
