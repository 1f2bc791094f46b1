// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.transport.exceptions.NotSupportedException;

/** What users are told who want of a connection what its framing does not have: which framing has it. */
public final class FramingRefusal {

    private FramingRefusal() {
    }

    public static NotSupportedException noTags() {
        return new NotSupportedException("messages have a tag with PAGE and STREAM framing only: configure"
                + " framing(Framing.stream()) on both sides");
    }

    /** {@code connection} is what errors call it. */
    public static NotSupportedException noStreams(Object connection) {
        return new NotSupportedException(connection + " has no streams: configure framing(Framing.stream()) on both sides");
    }

    public static NotSupportedException noSlices() {
        return new NotSupportedException("sends from a region need RAW framing, PAGE and STREAM framing pack"
                + " messages in pages: configure framing(Framing.raw()) on both sides");
    }
}
