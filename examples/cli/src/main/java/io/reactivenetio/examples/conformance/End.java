// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.examples.cli.Patience;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One end as the kit sees it: replies to commands, and events. Lines may come on any thread; one thread asks. */
abstract class End implements AutoCloseable {
    /** How long a reply or an event may take. */
    static final Duration LIMIT = Patience.ofSeconds(10);

    private static final int KEPT = 100_000;

    private final String name;
    private final Deque<Line> replies = new ArrayDeque<>();
    private final List<Line> events = new ArrayList<>();
    private @Nullable String gone;

    End(String name) {
        this.name = name;
    }

    abstract void write(Line command);

    @Override
    public abstract void close();

    /** What it wrote to standard error at last; empty if nothing. */
    abstract String complaint();

    /** A line that the end has written. */
    final synchronized void heard(Line line) {
        if (!line.head().startsWith("event")) {
            replies.add(line);
        } else if (events.size() < KEPT) {
            events.add(line);
        }
        notifyAll();
    }

    /** No further line will come. */
    final synchronized void ended(String why) {
        gone = gone == null ? why : gone;
        notifyAll();
    }

    final synchronized boolean isGone() {
        return gone != null;
    }

    /** The reply, which is ok. */
    final Line ask(String command) {
        Line line = Line.parse(command);
        write(line);
        Line reply = await("a reply to " + command, this::reply);
        if (reply.head().equals("error unsupported")) {
            throw CaseFailedException.notOffered(name + " does not offer: " + command + " " + reply.get("text", ""));
        }
        if (!reply.head().equals("ok")) {
            throw new CaseFailedException(name + " answers " + command + " with: " + reply);
        }
        return reply;
    }

    private @Nullable Line reply() {
        return replies.poll();
    }

    /** The first event of this kind that is wanted and was not returned before. */
    final Line event(String kind, Predicate<Line> wanted) {
        return await("event " + kind, () -> take("event " + kind, wanted));
    }

    final Line event(String kind, String key, Object value) {
        return await("event " + kind + " " + key + "=" + value,
                () -> take("event " + kind, line -> line.is(key, value)));
    }

    /** Whether there was such an event. It stays. */
    final synchronized boolean had(String kind, String key, Object value) {
        return events.stream().anyMatch(line -> line.head().equals("event " + kind) && line.is(key, value));
    }

    private @Nullable Line take(String head, Predicate<Line> wanted) {
        for (Iterator<Line> all = events.iterator(); all.hasNext();) {
            Line line = all.next();
            if (line.head().equals(head) && wanted.test(line)) {
                all.remove();
                return line;
            }
        }
        return null;
    }

    private interface Look {
        @Nullable Line now();
    }

    private synchronized Line await(String what, Look look) {
        long until = System.nanoTime() + LIMIT.toNanos();
        Line found = look.now();
        while (found == null) {
            long left = (until - System.nanoTime()) / 1_000_000;
            if (gone != null) {
                throw new CaseFailedException(name + " " + gone + ", and " + what + " was awaited" + complaint());
            }
            if (left <= 0) {
                throw new CaseFailedException(name + " has not told within " + LIMIT.toSeconds() + " s: " + what + told());
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CaseFailedException("the time limit of the case is over; " + what + " was awaited of " + name);
            }
            found = look.now();
        }
        return found;
    }

    private String told() {
        return events.isEmpty() ? "" : "; told instead: " + events.getLast();
    }

    /** Polls the total of a stream until it is as wanted. */
    final Line total(int stream, Predicate<Line> wanted, String what) {
        long until = System.nanoTime() + LIMIT.toNanos();
        Line total = ask("total s=" + stream);
        while (!wanted.test(total)) {
            if (System.nanoTime() - until > 0) {
                throw new CaseFailedException(name + " has got " + total + " within " + LIMIT.toSeconds() + " s, and not "
                        + what);
            }
            Bench.pause(POLL_MILLIS);
            total = ask("total s=" + stream);
        }
        return total;
    }

    private static final int POLL_MILLIS = 5;

    /** Forgets what it has told, and begins anew. */
    final void reset() {
        synchronized (this) {
            replies.clear();
        }
        ask("reset");
        synchronized (this) {
            events.clear();
        }
    }

    @Override
    public final String toString() {
        return name;
    }
}
