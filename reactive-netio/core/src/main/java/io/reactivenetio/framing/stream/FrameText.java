// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.FrameListener;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameType;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;

/** What the frames of a page say, for people. */
final class FrameText {

    private FrameText() {
    }

    /** Tells {@code frames} of the credits that {@code page} returns, and of each frame. */
    static void describe(ByteBuffer page, boolean checksums, FrameListener frames) throws ProtocolException {
        FrameReader frame = new FrameReader(checksums).begin(page);
        frames.frame((frame.isDataPage() ? "data" : "control") + " page, returns " + frame.dataCredits() + " data and "
                + frame.controlCredits() + " control credits", 0, -1);
        while (frame.next()) {
            if (frame.type() == FrameType.DATA) {
                frames.frame(data(frame), frame.payloadOffset(), frame.payloadLength());
            } else {
                frames.frame(control(frame), 0, -1);
            }
        }
    }

    private static String data(FrameReader frame) {
        String text = "DATA stream " + number(frame.stream());
        if (!frame.isFirst()) {
            return text + (frame.isLast() ? ", last part" : ", part");
        }
        return text + (frame.isTagged() ? " tag " + Long.toUnsignedString(frame.tag()) : "") + " status " + frame.status()
                + (frame.isLast() ? "" : ", first part of " + Integer.toUnsignedString(frame.total()) + " B");
    }

    private static String control(FrameReader frame) throws ProtocolException {
        String of = frame.type() + " stream " + number(frame.stream());
        return switch (frame.type()) {
            case DATA, CANCEL -> of;
            case SUBSCRIBE -> of + " " + frame.tags() + (frame.policy() == null ? "" : " policy " + frame.policy());
            case REQUEST, COMPLETE, DROPPED -> of + " n " + frame.value();
            case ERROR -> (frame.stream() == FrameType.CONNECTION ? "ERROR connection" : of) + " code " + frame.value() + " \""
                    + frame.text() + '"';
            case SUBSCRIBED -> of + " next " + frame.value() + " run " + Long.toUnsignedString(frame.run());
            case QUEUED -> of + " waiting " + frame.value() + " of " + frame.capacity();
            case PING, PONG -> frame.type() + " " + frame.value();
        };
    }

    private static String number(int stream) {
        return Integer.toUnsignedString(stream);
    }
}
