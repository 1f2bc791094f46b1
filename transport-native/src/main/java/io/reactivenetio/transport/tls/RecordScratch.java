// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * Seals and opens one record at a time within an array, and copies it from or to where it belongs. The JDK's AES-GCM works on
 * arrays: with memory outside of the heap sealing takes 2.6 times as long, and opening 1.3 times. Each thread has one array.
 */
final class RecordScratch {
    /** What a record has in front of its content: kind, version and length (RFC 8446, section 5.1). */
    private static final int HEADER = 5;
    private static final int LENGTH_AT = 3;
    /** What an engine may want to see free, with {@code jsse.SSLEngine.acceptLargeFragments}. */
    private static final int ROOM = 2 * SealedSizes.RECORD_ROOM;
    private static final ThreadLocal<ByteBuffer> OF_THREAD = ThreadLocal.withInitial(() -> ByteBuffer.allocate(ROOM));

    private RecordScratch() {
    }

    /** Seals as much of {@code message} as fits one record, and puts it into {@code target}. */
    static SSLEngineResult seal(SSLEngine engine, ByteBuffer[] message, ByteBuffer target) throws SSLException {
        ByteBuffer scratch = OF_THREAD.get().clear();
        SSLEngineResult result = engine.wrap(message, scratch);
        if (scratch.flip().remaining() > target.remaining()) {
            throw new SSLException("a record of " + scratch.remaining() + " bytes, where there is room for "
                    + target.remaining());
        }
        target.put(scratch);
        return result;
    }

    /** Opens the first record of {@code sealed} into {@code target}. */
    static SSLEngineResult open(SSLEngine engine, ByteBuffer sealed, ByteBuffer target) throws SSLException {
        int begin = sealed.position();
        int record = sealed.remaining() < HEADER ? 0 : HEADER + Byte.toUnsignedInt(sealed.get(begin + LENGTH_AT)) * 256
                + Byte.toUnsignedInt(sealed.get(begin + LENGTH_AT + 1));
        ByteBuffer scratch = OF_THREAD.get().clear();
        if (record == 0 || record > sealed.remaining() || record > scratch.capacity()) {
            return engine.unwrap(sealed, target); // which says what is wrong with it
        }
        scratch.put(0, sealed, begin, record).limit(record);
        SSLEngineResult result = engine.unwrap(scratch, target);
        sealed.position(begin + result.bytesConsumed());
        return result;
    }
}
