// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.NetioConnection;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One readout link of the detector: makes a fragment of each event, and sends it. */
final class DetectorLink {
    /** Events sent at once; more than there are send buffers. */
    private static final int BURST = 128;

    private final int number;
    private final NetioConnection connection;
    private final BooleanSupplier busy;
    private final HitGenerator generator;
    private final FaultInjector injector;
    private final FragmentCodec codec = new FragmentCodec();
    private final int[] hits = new int[FragmentCodec.MAX_HITS];
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(FragmentCodec.MAX_SIZE);
    private final LongAdder sent = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private long planned;
    private volatile long delivered;

    DetectorLink(int number, NetioConnection connection, HitGenerator generator, FaultInjector injector, BooleanSupplier busy) {
        this.number = number;
        this.connection = connection;
        this.generator = generator;
        this.injector = injector;
        this.busy = busy;
    }

    /**
     * Sends the fragments of all events there are, in bursts, each after the one before it has been delivered. So what is under
     * way is little: without this, the sockets of a slow consumer would swallow seconds of small fragments.
     *
     * @param triggers how many events there are, rising; a link that cannot follow needs to know the latest only
     * @return completes when the last fragment and the end of the stream have been delivered
     */
    Mono<Void> send(Flux<Long> triggers) {
        return triggers
                .onBackpressureLatest()
                .concatMapIterable(this::burstsUpTo, 1)
                .concatMap(burst -> connection.send(fragments(burst)).doOnSuccess(done -> delivered = burst.end()), 1)
                .then(connection.completeOutbound());
    }

    private Iterable<Burst> burstsUpTo(long count) {
        long first = planned;
        planned = count;
        return () -> LongStream.iterate(first, start -> start < count, start -> start + BURST)
                .mapToObj(start -> new Burst(start, Math.min(start + BURST, count))).iterator();
    }

    private Flux<ByteBuffer> fragments(Burst burst) {
        return Flux.range(0, (int) (burst.end() - burst.start())).map(i -> fragment(burst.start() + i));
    }

    private record Burst(long start, long end) {
    }

    /** Always the same buffer: send() has copied it before it asks for the next. */
    private ByteBuffer fragment(long event) {
        codec.encode(buffer, number, event, busy.getAsBoolean() ? 1 : 0, hits, generator.fill(hits));
        injector.apply(buffer, event);
        bytes.add(buffer.remaining());
        sent.increment();
        return buffer;
    }

    /** How many fragments have arrived. */
    long delivered() {
        return delivered;
    }

    long noResources() {
        return connection.statistics().noResources();
    }

    LinkTally tally() {
        FaultCount faults = injector.count();
        return new LinkTally(number, sent.sum(), bytes.sum(),
                faults.truncated(), faults.corrupted(), faults.digest(), noResources());
    }

    void close() {
        connection.dispose();
    }
}
