// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.demo.event.Fault;
import io.reactivenetio.examples.demo.event.FaultCount;
import io.reactivenetio.examples.demo.event.Fragment;
import io.reactivenetio.examples.demo.event.FragmentCodec;
import io.reactivenetio.examples.demo.screen.Histogram;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * One link at the readout: decodes what arrives and counts. Which fragments are missing, the library says; the event numbers in
 * them must agree.
 */
final class ReadoutLink {
    /** Fragments it asks for ahead. */
    static final int AHEAD = 128;

    private final int number;
    private final Histogram histogram;
    private final FragmentCodec codec = new FragmentCodec();
    private final AtomicLong asked = new AtomicLong();
    private final LongAdder received = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder missing = new LongAdder();
    private final LongAdder misplaced = new LongAdder();
    private final FaultCount faults = new FaultCount();
    /** Missing before the next fragment. On the loop, as all that follows. */
    private long gap;
    private long expected;

    ReadoutLink(int number, Histogram histogram) {
        this.number = number;
        this.histogram = histogram;
    }

    /** What it is sent, with a stand-in for each fragment that is missing: the n-th fragment is that of the n-th event. */
    Flux<Fragment> fragments(NetioSubscriber subscriber) {
        return subscriber.<Fragment>subscribe(this::decode, number)
                .doOnRequest(asked::addAndGet)
                .map(fragment -> gap == 0 ? List.of(fragment) : afterGap(fragment))
                .concatWith(Flux.defer(() -> Flux.just(afterGap(null))))
                .concatMapIterable(fragments -> fragments, AHEAD);
    }

    private Iterable<Fragment> afterGap(@Nullable Fragment next) {
        long absent = gap;
        gap = 0;
        return () -> Stream.concat(LongStream.range(0, absent).mapToObj(n -> Fragment.unreadable(Fault.MISSING)),
                Stream.ofNullable(next)).iterator();
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
        if (fragment.event() != expected || fragment.link() != number
                || fragment.crossing() != Fragment.crossingOf(fragment.event())) {
            misplaced.increment();
        }
        expected = fragment.event();
    }

    /** Counts {@code fragments} that will not arrive, before the next one. On the loop. */
    void missed(long fragments) {
        missing.add(fragments);
        gap += fragments;
        expected += fragments;
    }

    /** Its tag. */
    int number() {
        return number;
    }

    long received() {
        return received.sum();
    }

    long bytes() {
        return bytes.sum();
    }

    /** Fragments that the library says were sent and did not arrive. */
    long missing() {
        return missing.sum();
    }

    /** Fragments that were of another event, another link or another crossing than they should be. */
    long misplaced() {
        return misplaced.sum();
    }

    FaultCount faults() {
        return faults;
    }

    /** How many more it has asked the detector for. */
    long demand() {
        return Math.max(0, asked.get() - received.sum());
    }
}
