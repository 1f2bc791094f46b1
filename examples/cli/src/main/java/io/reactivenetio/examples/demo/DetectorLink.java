// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.NetioConnection;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One readout link of the detector: makes a fragment of each event, and sends it. */
final class DetectorLink {
    private final int number;
    private final NetioConnection connection;
    private final BooleanSupplier busy;
    private final HitGenerator generator;
    private final FaultInjector injector;
    private final FragmentCodec codec = new FragmentCodec();
    private final int[] hits = new int[FragmentCodec.MAX_HITS];
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(FragmentCodec.MAX_SIZE);
    private final AtomicLong sent = new AtomicLong();
    private final LongAdder bytes = new LongAdder();

    DetectorLink(int number, NetioConnection connection, HitGenerator generator, FaultInjector injector, BooleanSupplier busy) {
        this.number = number;
        this.connection = connection;
        this.generator = generator;
        this.injector = injector;
        this.busy = busy;
    }

    /**
     * Sends the fragments of all events there are.
     *
     * @param triggers how many events there are, rising; a link that cannot follow needs to know the latest only
     * @return completes when the last fragment and the end of the stream have been delivered
     */
    Mono<Void> send(Flux<Long> triggers) {
        Flux<ByteBuffer> fragments = triggers
                .onBackpressureLatest()
                .concatMapIterable(this::eventsUpTo, 1)
                .map(this::fragment);
        return connection.send(fragments).then(connection.completeOutbound());
    }

    private Iterable<Long> eventsUpTo(long count) {
        return () -> eventIterator(count);
    }

    private Iterator<Long> eventIterator(long count) {
        return LongStream.range(sent.get(), count).iterator();
    }

    /** Always the same buffer: send() has copied it before it asks for the next. */
    private ByteBuffer fragment(long event) {
        codec.encode(buffer, number, event, busy.getAsBoolean() ? 1 : 0, hits, generator.fill(hits));
        injector.apply(buffer, event);
        bytes.add(buffer.remaining());
        sent.lazySet(event + 1);
        return buffer;
    }

    /** How many events it has sent. */
    long sent() {
        return sent.get();
    }

    long noResources() {
        return connection.statistics().noResources();
    }

    LinkTally tally() {
        FaultCount faults = injector.count();
        return new LinkTally(number, sent(), bytes.sum(),
                faults.truncated(), faults.corrupted(), faults.digest(), noResources());
    }

    void close() {
        connection.dispose();
    }
}
