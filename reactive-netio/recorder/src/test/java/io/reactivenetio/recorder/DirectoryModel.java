// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.DirectoryWorld.check;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What was sent and acknowledged, and what of it has to be in the directory after all that a user has done there. */
final class DirectoryModel {
    private static final long CLOCKS_ARE_SET = RecordedEvent.toNanos(Instant.parse("2000-01-01T00:00:00Z"));

    /** A message of a source. Runs are counted. */
    record Sent(long run, long sequence, SequencedEvent event) {
        @Override
        public String toString() {
            return event.tags().first() + "/" + run + ":" + sequence;
        }
    }

    /** A message that was acknowledged. */
    static final class Acknowledged {
        final Sent sent;
        final long time;
        private final Path file;
        private final long end;
        private boolean isLost;
        private boolean isAway;
        private boolean wasGone;

        private Acknowledged(Sent sent, long time, Path file, long end) {
            this.sent = sent;
            this.time = time;
            this.file = file;
            this.end = end;
        }

        boolean isThere() {
            return !isLost && !isAway;
        }

        boolean wasAlwaysThere() {
            return !wasGone;
        }

        private void gone() {
            wasGone = true;
        }
    }

    /** How old a segment was. */
    private record Age(long age, long then) {
    }

    private static final class Source {
        private long run = 1;
        private long next;
        private final Map<String, SequencedEvent> sent = new HashMap<>();
        private final Map<String, Acknowledged> known = new HashMap<>();
        private final List<Acknowledged> all = new ArrayList<>();
    }

    private final Random random;
    private final Map<Tags, Source> sources = new HashMap<>();
    private final Set<Path> present = new TreeSet<>();
    private final Map<Path, Age> ages = new TreeMap<>();
    private long untold;

    DirectoryModel(List<Tags> streams, Random random) {
        this.random = random;
        streams.forEach(tags -> sources.put(tags, new Source()));
    }

    private Source source(Tags tags) {
        return sources.get(tags);
    }

    // ---- what happens

    /** What a source sends next, which may have begun anew, or have left something out. */
    List<Sent> next(Tags tags) {
        Source source = source(tags);
        int dice = random.nextInt(20);
        if (dice == 0) {
            source.run++;
            source.next = random.nextInt(3);
        } else if (dice == 1) {
            source.next += random.nextInt(5);
        }
        List<Sent> events = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String text = tags + " " + source.run + ":" + source.next + "x".repeat(random.nextInt(600));
            SequencedMessage message = new SequencedMessage(tags, source.run, source.next, new TaggedMessage(
                    tags.first() + (tags.kind() == Tags.Kind.ONE ? 0 : source.next % 3), (int) source.next % 256,
                    ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
            Sent sent = new Sent(source.run, source.next++, message);
            source.sent.put(key(sent.run, sent.sequence), message);
            events.add(sent);
        }
        return events;
    }

    /** While nobody records, sources send, too. */
    void skip(int times) {
        for (int i = 0; i < times; i++) {
            sources.keySet().forEach(this::next);
        }
    }

    private static String key(long run, long sequence) {
        return run + ":" + sequence;
    }

    void acknowledged(List<Sent> events, Path file, long end, long time, long nanos) {
        boolean isThere = Files.exists(file);
        for (Sent sent : events) {
            Acknowledged message = new Acknowledged(sent, time, file, end);
            Source source = source(sent.event.tags());
            source.all.add(message);
            source.known.put(key(sent.run, sent.sequence), message);
            if (!isThere) { // deleted, which the recorder does not know yet
                message.isLost = true;
                message.gone();
                untold++;
            }
        }
        if (isThere) {
            present.add(file);
            ages.put(file, new Age(0, nanos));
        }
    }

    /** What was acknowledged in a file behind so many bytes is lost. */
    void gone(Path file, long left) {
        each(file).filter(message -> message.end > left).forEach(message -> {
            message.isLost = true;
            message.gone();
        });
    }

    private java.util.stream.Stream<Acknowledged> each(Path file) {
        return sources.values().stream().flatMap(source -> source.all.stream()).filter(message -> message.file.equals(file));
    }

    /** Call it before {@link #gone}. */
    void mustBeTold(Path file, long left) {
        untold += each(file).filter(message -> message.end > left && message.isThere()).count();
    }

    void checkTold(long lost) {
        check(lost >= untold, untold + " messages were lost, and " + lost + " were told");
    }

    void forget(Path file) {
        present.remove(file);
    }

    void away(Path file) {
        present.remove(file);
        each(file).forEach(message -> {
            message.isAway = true;
            message.gone();
        });
    }

    void back(Path file) {
        present.add(file);
        each(file).forEach(message -> message.isAway = false);
    }

    /** A recorder was opened: it knows of ages what the clock says. */
    void opened(long wall, long nanos) {
        untold = 0;
        for (Path file : present) {
            long last = each(file).filter(Acknowledged::isThere).mapToLong(message -> message.time).max().orElse(wall);
            ages.put(file, new Age(last < CLOCKS_ARE_SET || last > wall ? 0 : wall - last, nanos));
        }
    }

    /** Nothing was left, and another recording has begun. */
    void restarted() {
        present.clear();
        sources.values().stream().flatMap(source -> source.all.stream()).forEach(message -> {
            message.isLost = true;
            message.gone();
        });
    }

    /** The segments that are in the directory, in order. */
    List<Path> files() {
        return List.copyOf(present);
    }

    boolean mayBeDeleted(Path file, boolean oldest, long maxAge, long nanos) {
        if (each(file).noneMatch(Acknowledged::isThere) || oldest && file.equals(present.iterator().next())) {
            return true;
        }
        return present.stream().filter(each -> each.compareTo(file) >= 0).map(ages::get)
                .anyMatch(age -> age.age + nanos - age.then > maxAge);
    }

    // ---- what has to be there

    boolean mustHave(Tags tags) {
        return source(tags).all.stream().anyMatch(Acknowledged::isThere);
    }

    List<Acknowledged> all(Tags tags) {
        return source(tags).all;
    }

    void checkWhole(Tags tags, List<RecordedEvent> events) {
        Check check = new Check(tags, false);
        events.forEach(check::accept);
        for (Acknowledged message : source(tags).all) {
            check(!message.isThere() || check.has(message), "acknowledged, and not read: " + message.sent);
        }
    }

    /** What one reader is told. */
    final class Check {
        private final Source source;
        private final boolean isFollower;
        private final Set<String> seen = new HashSet<>();
        private long run;
        private long next;

        Check(Tags tags, boolean isFollower) {
            this.source = source(tags);
            this.isFollower = isFollower;
        }

        boolean has(Acknowledged message) {
            return seen.contains(key(message.sent.run, message.sent.sequence));
        }

        void accept(RecordedEvent recorded) {
            switch (recorded.event()) {
                case SequencedMessage message -> {
                    String key = key(message.run(), message.sequence());
                    check(message.equals(source.sent.get(key)), "never sent: " + message);
                    check(seen.add(key), "twice: " + key);
                    check(run == 0 || run == message.run() && next == message.sequence(), "expected " + run + ":" + next
                            + ", read " + key);
                    run = message.run();
                    next = message.sequence() + 1;
                }
                case Gap gap -> {
                    check(run == 0 || run == gap.run() && next == gap.from(), "expected " + run + ":" + next + ", told " + gap);
                    for (long i = gap.from(); i <= gap.to(); i++) {
                        Acknowledged message = source.known.get(key(gap.run(), i));
                        check(message == null || !(isFollower ? message.wasAlwaysThere() : message.isThere()),
                                "told as missing: " + gap + ", where " + i + " is there");
                    }
                    run = gap.run();
                    next = gap.to() + 1;
                }
                case RunChange change -> {
                    check(change.run() > run, "goes back to run " + change.run());
                    run = change.run();
                    next = 0;
                }
            }
        }
    }
}
