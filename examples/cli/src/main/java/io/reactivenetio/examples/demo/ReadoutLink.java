// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.ConnectionStatistics;
import io.reactivenetio.NetioConnection;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Flux;

/** One link at the readout: decodes what arrives, checks that nothing is missing, and counts. */
final class ReadoutLink {
    private final NetioConnection connection;
    private final Histogram histogram;
    private final FragmentCodec codec = new FragmentCodec();
    private final LongAdder received = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder missing = new LongAdder();
    private final LongAdder misplaced = new LongAdder();
    private final FaultCount faults = new FaultCount();
    private volatile int number = -1;
    private long expected;

    ReadoutLink(NetioConnection connection, Histogram histogram) {
        this.connection = connection;
        this.histogram = histogram;
    }

    /** The fragments, decoded in the receive buffers. */
    Flux<Fragment> fragments() {
        return connection.receive(this::decode);
    }

    private Fragment decode(ByteBuffer message) {
        received.increment();
        bytes.add(message.remaining());
        Fragment fragment = codec.decode(message);
        check(fragment);
        if (fragment.fault() == Fault.NONE) {
            histogram.add(fragment.hits());
        } else {
            faults.add(fragment.fault(), expected);
        }
        expected++;
        return fragment;
    }

    /** The place in the stream is the sequence number; where the header is intact it must agree. */
    private void check(Fragment fragment) {
        if (!fragment.headerIntact()) {
            return;
        }
        if (number < 0) {
            number = fragment.link();
        }
        if (fragment.event() > expected) {
            missing.add(fragment.event() - expected);
        } else if (fragment.event() < expected || fragment.link() != number
                || fragment.crossing() != Fragment.crossingOf(fragment.event())) {
            misplaced.increment();
        }
        expected = fragment.event();
    }

    /** The number that its fragments carry, or -1 before the first. */
    int number() {
        return number;
    }

    long received() {
        return received.sum();
    }

    long bytes() {
        return bytes.sum();
    }

    long missing() {
        return missing.sum();
    }

    /** Fragments that were of an earlier event, another link or another crossing than they should be. */
    long misplaced() {
        return misplaced.sum();
    }

    FaultCount faults() {
        return faults;
    }

    ConnectionStatistics statistics() {
        return connection.statistics();
    }

    void close() {
        connection.dispose();
    }
}
