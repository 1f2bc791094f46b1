// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.demo.event.FaultCount;
import io.reactivenetio.examples.demo.event.FaultInjector;
import io.reactivenetio.examples.demo.event.FragmentCodec;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** One readout link of the detector: makes a fragment of each event, as far as it is asked for them. */
final class DetectorLink {
    private final int number;
    private final BooleanSupplier busy;
    private final HitGenerator generator;
    private final FaultInjector injector;
    private final FragmentCodec codec = new FragmentCodec();
    private final int[] hits = new int[FragmentCodec.MAX_HITS];
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(FragmentCodec.MAX_SIZE);
    private final AtomicLong requested = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder stalls = new LongAdder();
    private final Sinks.Empty<Void> published = Sinks.empty();
    private boolean stalled;

    DetectorLink(int number, HitGenerator generator, FaultInjector injector, BooleanSupplier busy) {
        this.number = number;
        this.generator = generator;
        this.injector = injector;
        this.busy = busy;
    }

    /** Its tag. */
    int number() {
        return number;
    }

    /**
     * The fragments of all events there are.
     *
     * @param triggers how many events there are, rising; a link that cannot follow needs to know the latest only
     */
    Flux<ByteBuffer> fragments(Flux<Long> triggers) {
        return triggers
                .doOnNext(this::triggered)
                .onBackpressureLatest()
                .concatMapIterable(this::eventsUpTo, 1)
                .map(this::fragment)
                .doOnRequest(requested::addAndGet)
                .doOnComplete(published::tryEmitEmpty)
                .doOnError(published::tryEmitError);
    }

    /** On the trigger's thread. */
    private void triggered(long count) {
        boolean waits = sent.get() < count && sent.get() >= requested.get();
        if (waits && !stalled) {
            stalls.increment();
        }
        stalled = waits;
    }

    private Iterable<Long> eventsUpTo(long count) {
        return () -> eventIterator(count);
    }

    private Iterator<Long> eventIterator(long count) {
        return LongStream.range(sent.get(), count).iterator();
    }

    /** Always the same buffer: the publisher has copied it before it asks for the next. */
    private ByteBuffer fragment(long event) {
        codec.encode(buffer, number, event, busy.getAsBoolean() ? 1 : 0, hits, generator.fill(hits));
        injector.apply(buffer, event);
        bytes.add(buffer.remaining());
        sent.lazySet(event + 1);
        return buffer;
    }

    /** Completes with the last fragment. */
    Mono<Void> published() {
        return published.asMono();
    }

    /** How many events it has sent. */
    long sent() {
        return sent.get();
    }

    /** How often it had fragments that nobody had asked for. */
    long stalls() {
        return stalls.sum();
    }

    LinkTally tally() {
        FaultCount faults = injector.count();
        return new LinkTally(number, sent(), bytes.sum(),
                faults.truncated(), faults.corrupted(), faults.digest(), stalls());
    }
}
