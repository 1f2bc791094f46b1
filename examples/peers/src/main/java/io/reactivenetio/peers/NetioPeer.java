// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.NetioTransport;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.IntConsumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Schedulers;

/** This library, as it comes: STREAM or PAGE framing with default buffers, RAW framing with buffers of the messages' size. */
record NetioPeer(Framing framing, Via via, Receiving receiving, Source source, Sealing sealing) implements Peer {
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);
    /** Longer than any round. */
    private static final Duration FOR_EVER = Duration.ofHours(1);
    private static final int AHEAD = 1_024;
    private static final int BATCH = 500;
    private static final int RAW_BUFFERS = 64;
    /** The largest message that fits a page as it comes, with its header and tag. */
    private static final int PAGE = 60 * 1024 - 12;
    private static final int PAGE_HEADERS = 64;

    NetioPeer(Framing framing, Via via, Receiving receiving, Source source) {
        this(framing, via, receiving, source, Sealing.NONE);
    }

    /** What the receiver's user sees. */
    enum Receiving {
        DECODED("receive(decoder)"),
        COPIED("receive()"),
        LEASED("receiveLeased()"),
        BATCHED("receiveBatches()"),
        PUBLISHED("receive().publishOn()"),
        CONCAT_MAPPED("receive().concatMap()"),
        FLAT_MAPPED("receive().flatMap()"),
        FLAT_MAPPED_16("receive().flatMap(16)"),
        DECODED_AND_CONCAT_MAPPED("receive(decoder).concatMap()"),
        CONCAT_MAPPED_AHEAD("receive().concatMap(1024)"),
        PREFETCHED_AND_CONCAT_MAPPED("prefetch(1024) receive().concatMap()");

        private final String title;

        Receiving(String title) {
            this.title = title;
        }
    }

    /** Where the sender's messages come from. */
    enum Source {
        SAME_BUFFER("one buffer"),
        FRESH_BUFFERS("a buffer each"),
        ELSEWHERE("another thread"),
        PUBLISHED("publishOn()"),
        BATCHES("batches of 500"),
        BATCHES_ELSEWHERE("batches of 500 on another thread");

        private final String title;

        Source(String title) {
            this.title = title;
        }
    }

    @Override
    public String title() {
        return framing + via.title() + sealing.title() + " " + receiving.title + ", " + source.title;
    }

    @Override
    public String settings() {
        return settings(framing, via) + sealing.words();
    }

    static String settings(Framing framing, Via via) {
        String buffers = switch (framing) {
            case Framing.Raw _ -> RAW_BUFFERS + " buffers of a message each";
            case Framing.Page _ -> "default buffers, or " + RAW_BUFFERS + " of a message each where it does not fit";
            case Framing.Stream _ -> "default buffers";
        };
        return via.words()
                + ", one loop on each side, asleep when idle, " + buffers;
    }

    /** Returns the settings for round trips, which it is told to wait for in one way or the other. */
    static String tripSettings(Framing framing, Via via) {
        return settings(framing, via) + "; where it says spinning, spin(" + FOR_EVER + ")";
    }

    /** One loop, which waits as {@code work} says. */
    static NetioLoops loops(String name, Work work, Via via) {
        NetioLoops.Builder loops = NetioLoops.builder().name(name).mechanism(via.mechanism());
        return (work.waiting() == Waiting.SPIN ? loops.spin(FOR_EVER) : loops).build();
    }

    static NetioServer server(Work work, Framing framing, Via via, NetioLoops loops) {
        return configured(work, framing, NetioServer.create().port(0), via, loops);
    }

    static NetioClient client(Work work, Framing framing, Via via, NetioLoops loops) {
        return configured(work, framing, NetioClient.create(), via, loops);
    }

    private static <T extends NetioTransport<T>> T configured(Work work, Framing framing, T side, Via via, NetioLoops loops) {
        T common = side.host(Loopback.ADDRESS).backend(via.backend()).byteOrder(ByteOrder.LITTLE_ENDIAN).runOn(loops);
        return switch (framing) {
            case Framing.Raw raw -> buffers(common.framing(raw.endSignal(EndSignal.EMPTY_MESSAGE)), work.size());
            case Framing.Page page -> {
                T paged = common.framing(page.endSignal(EndSignal.EMPTY_MESSAGE));
                yield work.size() <= PAGE ? paged : buffers(paged, work.size() + PAGE_HEADERS);
            }
            case Framing.Stream stream -> common.framing(stream);
        };
    }

    private static <T extends NetioTransport<T>> T buffers(T side, int size) {
        return side.receiveBuffers(size, RAW_BUFFERS).sendBuffers(size, RAW_BUFFERS);
    }

    /** One word for a worker's command. */
    String word() {
        return String.join("/", "stream/netio", framing.toString(), via.name(), receiving.name(), source.name(), sealing.name())
                .toLowerCase(Locale.ROOT);
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        return listen(work, port, this::received);
    }

    /** With a receiver of the caller's, which completes when it has had all messages. */
    Outcome listen(Work work, IntConsumer port, BiFunction<NetioInbound, Numbers, Mono<Void>> receiver) throws Exception {
        Numbers numbers = new Numbers(work);
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        NetioLoops loops = loops("receiver", work, via);
        try {
            DisposableServer server = sealing.of(prefetched(server(work, framing, via, loops)))
                    .handle((inbound, outbound) -> receiver.apply(inbound, numbers)
                            .doOnSuccess(end -> outcome.complete(numbers.end()))
                            .doOnError(outcome::completeExceptionally)).bindNow();
            port.accept(server.port());
            return Loopback.await(work, outcome);
        } finally {
            loops.disposeLater(LAST_WORDS).block();
        }
    }

    private NetioServer prefetched(NetioServer server) {
        return receiving == Receiving.PREFETCHED_AND_CONCAT_MAPPED ? server.framing(Framing.stream().prefetch(AHEAD)) : server;
    }

    private Mono<Void> received(NetioInbound inbound, Numbers numbers) {
        return switch (receiving) {
            case DECODED -> inbound.receive(message -> {
                numbers.check(message.getLong(0));
                return numbers;
            }).then();
            case COPIED -> inbound.receive().map(NetioPeer::number).doOnNext(numbers::check).then();
            case LEASED -> inbound.receiveLeased().doOnNext(lease -> {
                numbers.check(lease.getLong(0));
                lease.close();
            }).then();
            case BATCHED -> inbound.receiveBatches().doOnNext(batch -> {
                while (batch.next()) {
                    numbers.check(batch.getLong(0));
                }
            }).then();
            case PUBLISHED -> inbound.receive().publishOn(Schedulers.parallel()).map(NetioPeer::number)
                    .doOnNext(numbers::check).then();
            case CONCAT_MAPPED, PREFETCHED_AND_CONCAT_MAPPED -> inbound.receive().concatMap(message -> Mono.just(number(message)))
                    .doOnNext(numbers::check).then();
            case CONCAT_MAPPED_AHEAD -> inbound.receive().concatMap(message -> Mono.just(number(message)), AHEAD)
                    .doOnNext(numbers::check).then();
            case DECODED_AND_CONCAT_MAPPED -> inbound.receive(message -> message.getLong(0)).concatMap(Mono::just)
                    .doOnNext(numbers::check).then();
            case FLAT_MAPPED_16 -> inbound.receive().flatMap(message -> Mono.just(number(message)), 16)
                    .doOnNext(numbers::check).then();
            case FLAT_MAPPED -> inbound.receive().flatMap(message -> Mono.just(number(message)))
                    .doOnNext(numbers::check).then();
        };
    }

    static long number(ByteBuffer message) {
        return message.getLong(message.position());
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        NetioLoops loops = loops("sender", work, via);
        try {
            NetioConnection connection = sealing.of(client(work, framing, via, loops)).port(port).connectNow();
            Numbers numbers = new Numbers(work);
            ByteBuffer same = buffer(work);
            Flux<ByteBuffer> made = Flux.generate(sink -> next(numbers,
                    source == Source.SAME_BUFFER ? same : buffer(work), sink));
            Flux<List<Long>> batches = Flux.generate(sink -> nextBatch(numbers, sink));
            NetioEncoder<Long> encoder = NetioEncoder.ofSize(work.size(), (number, target) -> target.putLong(0, number)
                    .position(target.limit()));
            Mono<Void> sent = switch (source) {
                case SAME_BUFFER, FRESH_BUFFERS -> connection.send(made);
                case ELSEWHERE -> connection.send(made.subscribeOn(Schedulers.parallel()));
                case PUBLISHED -> connection.send(made.publishOn(Schedulers.parallel()));
                case BATCHES -> connection.sendBatches(batches, encoder);
                case BATCHES_ELSEWHERE -> connection.sendBatches(batches.subscribeOn(Schedulers.parallel()), encoder);
            };
            return Loopback.await(work, sent.then(connection.completeOutbound())
                    .then(Mono.fromSupplier(numbers::end)).subscribeOn(connection.scheduler()).toFuture());
        } finally {
            loops.dispose();
        }
    }

    private static ByteBuffer buffer(Work work) {
        return ByteBuffer.allocate(work.size()).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void nextBatch(Numbers numbers, SynchronousSink<List<Long>> sink) {
        List<Long> batch = new ArrayList<>(BATCH);
        long number = 0;
        while (batch.size() < BATCH && (number = numbers.next()) >= 0) {
            batch.add(number);
        }
        if (!batch.isEmpty()) {
            sink.next(batch);
        }
        if (number < 0) {
            sink.complete();
        }
    }

    private static void next(Numbers numbers, ByteBuffer message, SynchronousSink<ByteBuffer> sink) {
        long number = numbers.next();
        if (number < 0) {
            sink.complete();
        } else {
            sink.next(message.putLong(0, number));
        }
    }
}
