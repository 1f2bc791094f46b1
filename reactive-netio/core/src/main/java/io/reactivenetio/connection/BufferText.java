// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** The text of one buffer with its frames, for {@link Wiretap}. One thread. */
final class BufferText implements FrameListener {
    /** The number of frames that are named; the others are counted. */
    private static final int MOST_FRAMES = 64;

    private final ByteBuffer buffer;
    private final StringBuilder text = new StringBuilder();
    private int bytesLeft;
    private int frames;

    /** Describes the bytes from position to limit, and shows {@code mostBytes} of them at most. */
    BufferText(ByteBuffer buffer, int mostBytes) {
        this.buffer = buffer;
        bytesLeft = mostBytes;
        text.append(buffer.remaining()).append(" B");
    }

    /** Tells what {@code session} reads. What it cannot read is shown as bytes: the connection must go on as ever. */
    String of(Session session) {
        try {
            session.describe(buffer, this);
        } catch (ProtocolException | RuntimeException e) {
            return unread(", of which this cannot be read: " + e.getMessage());
        }
        if (frames > MOST_FRAMES) {
            text.append("\n  and ").append(frames - MOST_FRAMES).append(" more");
        }
        return text.toString();
    }

    String unread(String why) {
        frames = 0;
        text.append(why);
        frame("bytes", buffer.position(), buffer.remaining());
        return text.toString();
    }

    @Override
    public void frame(String what, int at, int length) {
        frames++;
        if (frames > MOST_FRAMES) {
            return;
        }
        text.append("\n  ").append(what);
        if (length < 0) {
            return;
        }
        text.append(", ").append(length).append(" B");
        int shown = Math.min(length, bytesLeft);
        if (shown > 0) {
            byte[] bytes = new byte[shown];
            buffer.get(at, bytes);
            bytesLeft -= shown;
            text.append(": ").append(HexFormat.ofDelimiter(" ").formatHex(bytes)).append(" |");
            for (byte each : bytes) {
                text.append(each >= ' ' && each < 0x7f ? (char) each : '.');
            }
            text.append('|');
        }
        if (shown < length) {
            text.append(" …");
        }
    }
}
