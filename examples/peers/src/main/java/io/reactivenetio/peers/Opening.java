// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.benchmarks.Meter;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * This library as connections are opened, until there are so many: how long each takes, and what each has in memory. A few are
 * opened and closed before, so that classes are loaded.
 *
 * @param connections how many
 * @param to whom the client finds at which address
 */
record Opening(int connections, OpeningTo to) implements Peer {
    private static final String WORD = "opening/";
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);
    /** How many connect at the same time. */
    private static final int CONNECTING = 64;
    private static final int BEFORE = 10;
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(30);

    @Override
    public String title() {
        return connections + to.title();
    }

    @Override
    public String settings() {
        return "STREAM framing, one loop on each side, " + Growth.BUFFERS + " buffers of " + Growth.BUFFER
                + " bytes in each direction, " + CONNECTING + " connect at once";
    }

    /** One word for a worker's command. */
    String word() {
        return WORD + connections + "/" + to.name();
    }

    /** Parses such a word; null for another. */
    static @Nullable Opening parse(String word) {
        if (!word.startsWith(WORD)) {
            return null;
        }
        String[] parts = word.substring(WORD.length()).split("/", -1);
        return new Opening(Integer.parseInt(parts[0]), OpeningTo.valueOf(parts[1]));
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        NetioLoops loops = NetioLoops.create("receiver", 1);
        try {
            Accepted accepted = new Accepted(work, connections);
            NetioServer settings = to.server().runOn(loops)
                    .doOnConnection(connection -> {
                        accepted.opened();
                        connection.onDispose().onErrorComplete().subscribe(null, null, accepted::closed);
                    });
            DisposableServer server = Growth.sized(settings).bindNow(Loopback.patience(work));
            try (SilentAddress _ = to == OpeningTo.SECOND_ADDRESS ? SilentAddress.at(server.port()) : null) {
                port.accept(server.port());
                return Loopback.await(work, accepted.outcome);
            }
        } finally {
            loops.disposeLater(LAST_WORDS).block();
        }
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        NetioLoops loops = NetioLoops.create("sender", 1);
        try {
            NetioClient client = Growth.sized(to.client(port)).runOn(loops).connectTimeout(Loopback.patience(work));
            Histogram nanos = new Histogram(1, LONGEST, 3);
            close(open(client, BEFORE, nanos, work), work);
            nanos.reset();
            Meter meter = Meter.ofAllThreads(work);
            try (SilentPeers _ = to.isFlooded() ? SilentPeers.of(port) : null) {
                meter.begin();
                meter.clock(0);
                List<NetioConnection> open = open(client, connections, nanos, work);
                meter.clock(open.size());
                meter.end();
                close(open, work);
                return meter.outcome(open.size(), nanos);
            }
        } finally {
            loops.disposeLater(LAST_WORDS).block();
        }
    }

    private static List<NetioConnection> open(NetioClient client, int count, Histogram nanos, Work work) {
        return Objects.requireNonNull(Flux.range(0, count).flatMap(i -> timed(client, nanos), CONNECTING).collectList()
                .block(Loopback.patience(work)), "connections");
    }

    private static void close(List<NetioConnection> open, Work work) {
        open.forEach(NetioConnection::dispose);
        Flux.fromIterable(open).flatMap(connection -> connection.onDispose().onErrorComplete())
                .blockLast(Loopback.patience(work));
    }

    /** A connection; it is told on the only loop, so that the histogram has one writer at a time. */
    private static Mono<NetioConnection> timed(NetioClient client, Histogram nanos) {
        return Mono.defer(() -> {
            long began = System.nanoTime();
            return client.connect()
                    .doOnNext(connection -> nanos.recordValue(Math.min(System.nanoTime() - began, LONGEST)));
        });
    }

    /** What the server sees. On one loop. */
    private static final class Accepted {
        private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        private final Meter meter;
        private final int all;
        private int opened;
        private int closed;

        Accepted(Work work, int all) {
            this.meter = Meter.ofAllThreads(work);
            this.all = all;
        }

        private void opened() {
            if (opened == BEFORE) {
                meter.begin();
                meter.clock(0);
            }
            if (++opened == BEFORE + all) {
                meter.clock(all);
                meter.end();
            }
        }

        private void closed() {
            if (++closed == BEFORE + all) {
                outcome.complete(meter.outcome(all));
            }
        }
    }
}
