// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Pair;
import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import io.reactivenetio.benchmarks.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** A row of the table: what it is, and its two processes. */
final class Contender implements AutoCloseable {
    private final String title;
    private final String settings;
    private final String variant;
    private final boolean listenerSends;
    private final Predicate<Work> does;
    private final Pair pair;

    private Contender(String title, String settings, String variant, boolean listenerSends, Predicate<Work> does,
            Supplier<Worker> worker) {
        this.title = title;
        this.settings = settings;
        this.variant = variant;
        this.listenerSends = listenerSends;
        this.does = does;
        this.pair = Pair.start(worker, worker);
    }

    static Contender java(String word, Peer peer) {
        return new Contender(peer.title(), peer.settings(), "", peer.listenerSends(),
                work -> work.waiting() == Waiting.SLEEP || peer.spins(),
                () -> Worker.java(List.of(), PeerWorker.OPTIONS, PeerWorker.class, word));
    }

    /** The C program of {@code ./netio bench}; {@code variant} as its commands know it. */
    static Contender c(String title, String settings, String variant, Supplier<Worker> worker) {
        return new Contender(title, settings, variant, false,
                work -> work.mode() == Mode.STREAM || work.inFlight() == 1, worker);
    }

    String title() {
        return title;
    }

    String settings() {
        return settings;
    }

    boolean does(Work work) {
        return does.test(work);
    }

    Sample run(Work work) {
        return run(work, Duration.ZERO);
    }

    /** A round between whose ends every byte takes {@code delay}. */
    Sample run(Work work, Duration delay) {
        AtomicReference<@Nullable Relay> relay = new AtomicReference<>();
        try {
            Sample sample = pair.run(work, variant, port -> {
                if (delay.isZero()) {
                    return port;
                }
                Relay way = new Relay(port, delay);
                relay.set(way);
                return way.port();
            });
            return listenerSends ? new Sample(work, /* sent= */ sample.received(), /* received= */ sample.sent()) : sample;
        } finally {
            CloseHelper.close(relay.get());
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
