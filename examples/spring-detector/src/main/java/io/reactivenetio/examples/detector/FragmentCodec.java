// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.NetioCodec;
import java.nio.ByteBuffer;
import org.springframework.stereotype.Component;

/** How fragments lie in messages. As it is a bean, methods with {@code @NetioListener} can take fragments. */
@Component
final class FragmentCodec implements NetioCodec<Fragment> {
    private static final int HEADER = Byte.BYTES + 2 * Long.BYTES;

    @Override
    public int size(Fragment fragment) {
        return HEADER + fragment.hits().length;
    }

    @Override
    public void encode(Fragment fragment, ByteBuffer target) {
        target.put((byte) fragment.link()).putLong(fragment.event()).putLong(fragment.time()).put(fragment.hits());
    }

    /** What is thrown here is logged, and the listener goes on with the next message. */
    @Override
    public Fragment decode(ByteBuffer message) {
        int link = message.get();
        if (link < 0 || link >= Fragment.LINKS) {
            throw new IllegalArgumentException("a fragment of link " + link + ": there are 0 to " + (Fragment.LINKS - 1));
        }
        long event = message.getLong();
        long time = message.getLong();
        byte[] hits = new byte[message.remaining()];
        message.get(hits);
        for (byte channel : hits) {
            if (channel < 0 || channel >= Fragment.CHANNELS) {
                throw new IllegalArgumentException("a hit in channel " + channel + ": there are 0 to " + (Fragment.CHANNELS - 1));
            }
        }
        return new Fragment(link, event, time, hits);
    }
}
