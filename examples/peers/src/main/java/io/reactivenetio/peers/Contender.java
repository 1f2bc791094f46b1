// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.CProgram;
import io.reactivenetio.benchmarks.Pair;
import io.reactivenetio.benchmarks.Pair.Sample;
import io.reactivenetio.benchmarks.SystemCalls;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import io.reactivenetio.benchmarks.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** A row of the table: what it is, and its two processes. */
final class Contender implements AutoCloseable {
    private final String title;
    private final String settings;
    private final String variant;
    private final boolean listenerSends;
    private final Predicate<Work> does;
    private final Function<List<String>, Worker> startListener;
    private final Function<List<String>, Worker> startConnector;
    private Pair pair;

    private Contender(String title, String settings, String variant, boolean listenerSends, Predicate<Work> does,
            Function<List<String>, Worker> startListener, Function<List<String>, Worker> startConnector) {
        this.title = title;
        this.settings = settings;
        this.variant = variant;
        this.listenerSends = listenerSends;
        this.does = does;
        this.startListener = startListener;
        this.startConnector = startConnector;
        this.pair = startPair();
    }

    private Pair startPair() {
        return Pair.start(() -> startListener.apply(List.of()), () -> startConnector.apply(List.of()));
    }

    /** Two new processes, where the others have failed. */
    void restart() {
        pair.close();
        pair = startPair();
    }

    static Contender java(String word, Peer peer) {
        return alike(peer.title(), peer.settings(), "", peer.listenerSends(),
                work -> (work.waiting() == Waiting.SLEEP || peer.spins()) && work.size() <= peer.largest(),
                prefix -> java(prefix, word));
    }

    private static Worker java(List<String> prefix, String word) {
        List<String> options = new ArrayList<>(PeerWorker.OPTIONS);
        options.addAll(Certificate.options());
        return Worker.java(prefix, options, PeerWorker.class, word);
    }

    private static Contender alike(String title, String settings, String variant, boolean listenerSends, Predicate<Work> does,
            Function<List<String>, Worker> start) {
        return new Contender(title, settings, variant, listenerSends, does, start, start);
    }

    /** The C program of {@code ./netio bench}; {@code variant} as its commands know it. */
    static Contender c(String title, String settings, String variant, CProgram program) {
        return alike(title, settings, variant, false, work -> work.mode() == Mode.STREAM || work.inFlight() == 1,
                prefix -> Worker.c(prefix, program.executable()));
    }

    /** A stream between the C program and this library, as {@code word} says it. */
    static Contender mixed(String title, String settings, String word, CProgram program, boolean cSends) {
        Function<List<String>, Worker> c = prefix -> Worker.c(prefix, program.executable());
        Function<List<String>, Worker> java = prefix -> java(prefix, word);
        return new Contender(title, settings, "", false, work -> work.waiting() == Waiting.SLEEP, cSends ? java : c,
                cSends ? c : java);
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

    /** What its two processes ask of the kernel for each message. */
    SystemCalls calls(Work work) {
        SystemCalls calls = SystemCalls.count(work, variant, startListener, startConnector);
        return listenerSends ? new SystemCalls(/* sender= */ calls.receiver(), /* receiver= */ calls.sender()) : calls;
    }

    @Override
    public void close() {
        pair.close();
    }
}
