// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.NetioTransport;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.benchmarks.Meter;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * This library as there is more of something: streams of all tags of all connections at the same time, counted together.
 *
 * @param connections between the two processes
 * @param tags of each connection, each a stream
 * @param demand what a receiver asks for at once; 0: all there will ever be
 * @param prefetch messages that a receiver asks for ahead of its demand
 * @param stalled of the first connection's tags, how many ask for one message and never again
 * @param busy how many of the connections send; 0: all of them
 * @param small whether connections have small buffers instead of the default ones
 * @param via what they go by
 */
record Growth(int connections, int tags, int demand, int prefetch, int stalled, int busy, boolean small, Via via)
        implements Peer {
    private static final String WORD = "growth/";
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);
    static final int BUFFER = 8192;
    static final int BUFFERS = 8;
    /** How many connect at the same time. */
    private static final int CONNECTING = 64;

    @Override
    public String title() {
        StringJoiner title = new StringJoiner(", ").setEmptyValue("1 connection, 1 tag");
        if (connections != 1 || small) {
            title.add(connections == 1 ? "1 connection" : connections + " connections");
        }
        if (small) {
            title.add("small buffers");
        }
        if (tags != 1) {
            title.add(tags + " tags");
        }
        if (demand != 0) {
            title.add("demand of " + demand);
        }
        if (prefetch != 0) {
            title.add("prefetch of " + prefetch);
        }
        if (stalled != 0) {
            title.add(stalled + " of them stalled");
        }
        if (busy != 0) {
            title.add(busy + " of them busy");
        }
        return title + via.title();
    }

    @Override
    public String settings() {
        return "STREAM framing, " + via.words() + ", one loop on each side, "
                + (!small ? "default buffers" : BUFFERS + " buffers of " + BUFFER + " bytes in each direction");
    }

    /** One word for a worker's command. */
    String word() {
        return WORD + connections + "/" + tags + "/" + demand + "/" + prefetch + "/" + stalled + "/" + busy + "/" + small + "/"
                + via.name();
    }

    /** Parses such a word; null for another. */
    static @Nullable Growth parse(String word) {
        if (!word.startsWith(WORD)) {
            return null;
        }
        String[] numbers = word.substring(WORD.length()).split("/", -1);
        return new Growth(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]),
                Integer.parseInt(numbers[3]), Integer.parseInt(numbers[4]), Integer.parseInt(numbers[5]),
                Boolean.parseBoolean(numbers[6]), Via.valueOf(numbers[7]));
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        NetioLoops loops = NetioPeer.loops("receiver", work, via);
        try {
            Arrivals arrivals = new Arrivals(work, sending() * tags - stalled, clockEvery());
            NetioServer settings = NetioPeer.server(work, Framing.stream(), via, loops)
                    .doOnConnection(connection -> LongStream.rangeClosed(1, tags).forEach(tag ->
                            connection.stream(tag).prefetch(prefetch).receive(message -> message.getLong(0))
                                    .subscribe(arrivals.subscriber(demand, tag <= stalled))));
            DisposableServer server = (small ? sized(settings) : settings).bindNow();
            port.accept(server.port());
            return Loopback.await(work, arrivals.outcome);
        } finally {
            loops.disposeLater(LAST_WORDS).block();
        }
    }

    private int sending() {
        return busy == 0 ? connections : busy;
    }

    /** The clock is read once for so many messages: for each where they are few. */
    private int clockEvery() {
        return demand == 0 || prefetch > 0 || demand >= Meter.CLOCK_EVERY ? Meter.CLOCK_EVERY : 1;
    }

    /** Gives each connection little memory. */
    static <T extends NetioTransport<T>> T sized(T settings) {
        return settings.receiveBuffers(BUFFER, BUFFERS).sendBuffers(BUFFER, BUFFERS);
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        NetioLoops loops = NetioPeer.loops("sender", work, via);
        try {
            NetioClient settings = NetioPeer.client(work, Framing.stream(), via, loops).port(port)
                    .framing(Framing.stream().maxStreams(tags + 1));
            NetioClient client = small ? sized(settings) : settings;
            List<NetioConnection> open = Objects.requireNonNull(Flux.range(0, connections)
                    .flatMap(i -> client.connect(), CONNECTING).collectList().block(Loopback.patience(work)), "connections");
            Departures departures = new Departures(work, clockEvery());
            List<Mono<Void>> sent = new ArrayList<>();
            for (NetioConnection connection : open.subList(0, sending())) {
                for (long tag = 1; tag <= tags; tag++) {
                    NetioStream stream = connection.stream(tag);
                    Mono<Void> all = stream.send(departures.stream()).then(stream.completeOutbound())
                            .subscribeOn(connection.scheduler());
                    sent.add(tag <= stalled ? all.onErrorComplete() : all); // the receiver cancels those in the end
                }
            }
            return Loopback.await(work, Mono.when(sent).then(Mono.fromSupplier(departures::end))
                    .subscribeOn(open.getFirst().scheduler()).toFuture());
        } finally {
            loops.dispose();
        }
    }

    /** What all streams send. On one loop. */
    private static final class Departures {
        private final Work work;
        private final Meter meter;
        private final int clockEvery;
        private final long until;
        private long count;
        private boolean over;

        Departures(Work work, int clockEvery) {
            this.work = work;
            this.clockEvery = clockEvery;
            this.meter = Meter.ofAllThreads(work);
            this.until = System.nanoTime() + (work.warmupMillis() + work.millis()) * 1_000_000;
            meter.begin();
        }

        Flux<ByteBuffer> stream() {
            ByteBuffer message = ByteBuffer.allocate(work.size()).order(ByteOrder.LITTLE_ENDIAN);
            message.putLong(0, -1);
            return Flux.generate(sink -> {
                if (isOver()) {
                    sink.complete();
                } else {
                    sink.next(message.putLong(0, message.getLong(0) + 1));
                }
            });
        }

        private boolean isOver() {
            if (!over && count++ % clockEvery == 0) {
                over = meter.clock(count) - until >= 0;
            }
            return over;
        }

        Outcome end() {
            meter.end();
            return meter.outcome(count);
        }
    }

    /** What all streams receive. On one loop. */
    private static final class Arrivals {
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private final List<BaseSubscriber<Long>> waiting = new ArrayList<>();
        private final Meter meter;
        private final int clockEvery;
        private int open;
        private long count;

        Arrivals(Work work, int open, int clockEvery) {
            this.meter = Meter.ofAllThreads(work);
            this.clockEvery = clockEvery;
            this.open = open;
        }

        BaseSubscriber<Long> subscriber(int demand, boolean stalls) {
            BaseSubscriber<Long> subscriber = new Arriving(this, stalls ? 1 : demand, stalls);
            if (stalls) {
                waiting.add(subscriber);
            }
            return subscriber;
        }

        private void arrived() {
            if (count == 0) {
                meter.begin();
            }
            if (count++ % clockEvery == 0) {
                meter.clock(count);
            }
        }

        private void completed() {
            if (--open == 0) {
                meter.end();
                outcome.complete(meter.outcome(count));
                waiting.forEach(BaseSubscriber::cancel);
            }
        }
    }

    /** One stream. */
    private static final class Arriving extends BaseSubscriber<Long> {
        private final Arrivals arrivals;
        private final int demand;
        private final boolean stalls;
        private long expected;

        Arriving(Arrivals arrivals, int demand, boolean stalls) {
            this.arrivals = arrivals;
            this.demand = demand;
            this.stalls = stalls;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(demand == 0 ? Long.MAX_VALUE : demand);
        }

        @Override
        protected void hookOnNext(Long number) {
            if (number != expected) {
                throw new IllegalStateException("message " + number + " instead of " + expected);
            }
            expected++;
            arrivals.arrived();
            if (!stalls && demand > 0 && expected % demand == 0) {
                request(demand);
            }
        }

        @Override
        protected void hookOnComplete() {
            if (!stalls) {
                arrivals.completed();
            }
        }

        @Override
        protected void hookOnError(Throwable error) {
            arrivals.outcome.completeExceptionally(error);
        }
    }
}
