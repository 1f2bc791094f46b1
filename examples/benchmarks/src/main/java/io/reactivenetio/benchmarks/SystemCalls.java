// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.benchmarks.Pair.Sample;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** System calls for each message, as strace counts them in both processes. */
public record SystemCalls(Side sender, Side receiver) {
    private static final double WORTH_TELLING = 0.005;

    /**
     * One process.
     *
     * @param perMessage of all kinds
     * @param text for people: {@code 1.45 (sendmsg 1.02, epoll_wait 0.43)}
     */
    public record Side(double perMessage, String text) {
    }

    /** Whether strace is there and may trace. */
    public static boolean canCount() {
        try (Strace strace = new Strace()) {
            List<String> command = new ArrayList<>(strace.prefix());
            command.add("true");
            return new ProcessBuilder(command).redirectOutput(Redirect.DISCARD).redirectError(Redirect.DISCARD).start()
                    .waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Counts a long and a short round in processes of their own, which {@code listener} and {@code connector} start with a
     * prefix: strace counts from their start to their end, and what they need to start and connect is taken off.
     */
    public static SystemCalls count(Work work, String variant, Function<List<String>, Worker> listener,
            Function<List<String>, Worker> connector) {
        Calls before = calls(new Work(work.mode(), work.size(), work.inFlight(), work.waiting(), 0, 1, work.provider()), variant,
                listener, connector);
        Calls after = calls(work, variant, listener, connector);
        long messages = after.messages() - before.messages();
        return new SystemCalls(side(before.sending(), after.sending(), messages),
                side(before.receiving(), after.receiving(), messages));
    }

    private static Calls calls(Work work, String variant, Function<List<String>, Worker> listener,
            Function<List<String>, Worker> connector) {
        try (Strace sending = new Strace(); Strace receiving = new Strace()) {
            Sample sample;
            try (Pair pair = Pair.start(() -> listener.apply(receiving.prefix()), () -> connector.apply(sending.prefix()))) {
                sample = pair.run(work, variant);
            }
            return new Calls(sample.sent().total(), sending.counts(), receiving.counts());
        }
    }

    private static Side side(Map<String, Long> before, Map<String, Long> after, long messages) {
        StringBuilder kinds = new StringBuilder();
        double sum = 0;
        for (Map.Entry<String, Long> call : after.entrySet()) {
            double each = (double) (call.getValue() - before.getOrDefault(call.getKey(), 0L)) / messages;
            sum += each;
            if (each >= WORTH_TELLING) {
                kinds.append(String.format(Locale.ROOT, ", %s %.2f", call.getKey(), each));
            }
        }
        return new Side(sum, String.format(Locale.ROOT, sum < 0.1 ? "%.4f" : "%.2f", sum)
                + (kinds.isEmpty() ? "" : " (" + kinds.substring(2) + ")"));
    }

    private record Calls(long messages, Map<String, Long> sending, Map<String, Long> receiving) {
    }
}
