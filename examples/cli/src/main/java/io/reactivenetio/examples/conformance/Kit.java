// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.examples.cli.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Runs cases, one after the other, against ends that it starts: another one whenever the last has failed. */
final class Kit implements AutoCloseable {
    /** How long a case may take. */
    static final Duration LIMIT = Patience.ofSeconds(20);

    /** What is tried over libfabric as well: what its credits, sizes and ends may change. */
    private static final Pattern OVER_LIBFABRIC = Pattern.compile(
            "sizes|slow receiver|demand 1$|many small|cancel after|complete|one tag|policy|thousand|sixteen|large|cancelled");

    private final Supplier<? extends End> starter;
    private final End java = new LocalEnd("the Java end");
    private @Nullable End tried;
    private @Nullable Offer offer;

    Kit(Supplier<? extends End> starter) {
        this.starter = starter;
    }

    static List<Case> cases(Predicate<String> wanted) {
        List<Case> all = new ArrayList<>(TransferCases.all());
        all.addAll(PublishCases.all());
        all.addAll(RequestCases.all());
        List<Case> again = all.stream().filter(each -> OVER_LIBFABRIC.matcher(each.name()).find()).toList();
        all.addAll(ConnectionCases.all());
        again.forEach(each -> all.add(each.overLibfabric()));
        all.addAll(HostileCases.all());
        return all.stream().filter(each -> wanted.test(each.name())).toList();
    }

    /** Starts an end, and returns what it is called and offers. */
    Offer begin() {
        End started = starter.get();
        tried = started;
        Offer told = Offer.of(started.ask("hello protocol=1"));
        offer = told;
        return told;
    }

    /** Runs {@code cases}, and tells each outcome. Returns whether all that are offered have passed. */
    boolean run(List<Case> cases, Consumer<Case> next, Consumer<Outcome> done) throws InterruptedException {
        boolean good = true;
        for (Case each : cases) {
            next.accept(each);
            Outcome outcome = run(each);
            good &= outcome.result() != Outcome.Result.FAILED;
            done.accept(outcome);
        }
        return good;
    }

    private Outcome run(Case each) throws InterruptedException {
        long start = System.nanoTime();
        AtomicReference<Outcome> outcome = new AtomicReference<>();
        Thread running = Thread.ofVirtual().start(() -> outcome.set(attempt(each, start)));
        if (!running.join(LIMIT)) {
            running.interrupt();
            if (!running.join(LIMIT)) {
                discard();
            }
        }
        Outcome told = outcome.get();
        Outcome sure = told != null ? told : outcome(each, start, Outcome.Result.FAILED, "it hangs");
        if (sure.result() == Outcome.Result.FAILED) {
            discard();
        }
        return sure;
    }

    private static Outcome outcome(Case each, long start, Outcome.Result result, String reason) {
        return new Outcome(each.name(), result, (System.nanoTime() - start) / 1_000_000, reason);
    }

    private Outcome attempt(Case each, long start) {
        try {
            Offer told = offer == null ? begin() : offer;
            List<String> missing = told.missing(each.needs());
            if (!missing.isEmpty()) {
                return outcome(each, start, Outcome.Result.NOT_OFFERED, String.join(", ", missing));
            }
            if (tried == null) {
                begin();
            }
            End end = Objects.requireNonNull(tried);
            java.reset();
            end.reset();
            each.body().run(new Bench(end, java, told));
            end.reset(); // also what has come to nothing must be cleared away
            return outcome(each, start, Outcome.Result.PASSED, "");
        } catch (CaseFailedException e) {
            return outcome(each, start, e.isOffered() ? Outcome.Result.FAILED : Outcome.Result.NOT_OFFERED,
                    String.valueOf(e.getMessage()));
        } catch (Exception e) {
            End end = tried;
            return outcome(each, start, Outcome.Result.FAILED, e + (end == null ? "" : end.complaint()));
        }
    }

    /** An end that has failed is not trusted with the next case. */
    private void discard() {
        End end = tried;
        tried = null;
        if (end != null) {
            end.close();
        }
    }

    /** Has the end quit; says what is wrong with how it does, or returns an empty text. */
    String quit() throws InterruptedException {
        if (!(tried instanceof ProcessEnd process)) {
            return "";
        }
        @Nullable Integer code = process.quit();
        return code == null ? "the end does not end on quit" : code == 0 ? "" : "the end has ended on quit with code " + code;
    }

    @Override
    public void close() {
        discard();
        java.close();
    }
}
