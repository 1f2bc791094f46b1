// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.codec;

import java.nio.ByteBuffer;
import java.util.Objects;

/** What the classes that {@link RecordCodecWriter} makes call. Any thread; the caller owns the buffer. */
public final class RecordFields {

    private RecordFields() {
    }

    /** The next byte of {@code message} as a boolean: 0 is false, anything else true. */
    public static boolean getBoolean(ByteBuffer message) {
        return message.get() != 0;
    }

    /** The component {@code name} of a record, which is a record itself. */
    public static Object present(Object component, String name) {
        return Objects.requireNonNull(component, name);
    }
}
