// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory with a recorder, readers, and a user who does to files what users do: copies, moves, deletes, cuts. A seed decides
 * what happens, in one thread and with clocks of its own. {@link DirectoryModel} knows what has to be there.
 */
final class DirectoryWorld {
    private static final List<Tags> STREAMS = List.of(Tags.of(7), Tags.range(10, 12));
    private static final int STEPS = 60;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_AGE = 600 * SECOND;
    private static final int MOST_FOLLOWERS = 6;

    /** What makes room. */
    private enum Retention { NONE, AGE, SIZE }

    /** A process, as the system knows it: it has a lock until the channel is closed, or the system has forgotten it. */
    private final class Machine implements SystemLock.Locker {
        @Override
        public SystemLock of(FileChannel channel) {
            return half -> {
                FileChannel holder = locks.get(half);
                boolean isFree = holder == null || holder == channel || !holder.isOpen();
                if (isFree) {
                    locks.put(half, channel);
                }
                return isFree;
            };
        }
    }

    final Path directory;
    final Random random;
    private final Retention retention;
    final DirectoryModel model;
    final Map<Integer, FileChannel> locks = new HashMap<>();
    private final Machine here = new Machine();
    private final Machine other = new Machine();
    private final DirectoryUser user;
    private final List<DirectoryFollower> followers = new ArrayList<>();
    private final List<String> said = new ArrayList<>();
    private long nanos = SECOND;
    private Instant wall;
    @Nullable DirectoryWriter writer;

    DirectoryWorld(Path directory, long seed) throws IOException {
        this.directory = Files.createDirectories(directory.resolve("recording"));
        user = new DirectoryUser(this, Files.createDirectories(directory.resolve("elsewhere")));
        random = new Random(seed);
        retention = random.nextInt(2) == 0 ? Retention.NONE : Retention.values()[random.nextInt(3)];
        wall = random.nextInt(4) == 0 ? Instant.ofEpochSecond(100) : Instant.parse("2026-11-25T12:00:00Z");
        model = new DirectoryModel(STREAMS, random);
    }

    /** Runs a world in a directory that is empty. Throws an AssertionError that says what happened, if something went wrong. */
    static void run(Path directory, long seed) throws IOException {
        DirectoryWorld world = new DirectoryWorld(directory, seed);
        try {
            world.run();
        } catch (IOException | RuntimeException | AssertionError e) {
            throw new AssertionError("world " + seed + ": " + e + "\n  " + String.join("\n  ", world.said), e);
        } finally {
            if (world.writer != null) {
                world.writer.kill();
            }
        }
    }

    private void run() throws IOException {
        open();
        for (int i = 0; i < STEPS; i++) {
            step();
            followers.forEach(DirectoryFollower::poll);
            followers.removeIf(DirectoryFollower::isOver);
            if (i % 4 == 0) {
                checkAll();
            }
        }
        user.putBack();
        if (writer == null) {
            open();
        }
        tick();
        for (Tags tags : STREAMS) {
            write(tags);
        }
        close();
        checkAll();
        for (DirectoryFollower follower : followers) {
            follower.poll();
            follower.poll();
            follower.checkEnd();
        }
    }

    void say(String what) {
        said.add(what);
    }

    private void pass(long duration) {
        nanos += duration;
        wall = wall.plusNanos(duration);
    }

    private void step() throws IOException {
        pass(random.nextLong(SECOND / 10));
        int dice = random.nextInt(100);
        if (dice < 40) {
            write(STREAMS.get(random.nextInt(STREAMS.size())));
        } else if (dice < 50) {
            tick();
        } else if (dice < 58) {
            openOrEnd();
        } else if (dice < 66) {
            follow();
        } else if (dice < 74) {
            clocks();
        } else if (dice < 78) {
            anotherRecorder();
        } else {
            user.step();
        }
    }

    // ---- the recorder

    private RecorderOptions options() {
        RecorderOptions options = RecorderOptions.defaults().segmentBytes(16_384).blockBytes(4096).clock(() -> wall);
        return switch (retention) {
            case NONE -> options;
            case AGE -> options.maxAge(Duration.ofNanos(MAX_AGE));
            case SIZE -> options.maxBytes(120_000);
        };
    }

    private Surroundings surroundings(Machine machine) {
        return new Surroundings(new DirectoryWriter.TornDisk(), () -> nanos, this::waitAWhile, machine);
    }

    /** The other one lives meanwhile. */
    private void waitAWhile(long duration) {
        pass(duration);
        if (writer != null && nanos - writer.ticked >= DirectoryLock.BEAT) {
            writer.tick();
        }
    }

    private void open() throws IOException {
        writer = new DirectoryWriter(directory, options(), surroundings(here), () -> nanos);
        say("opened, with " + writer.lost + " lost");
        if (writer.isNew) {
            model.restarted();
            user.restarted();
            followers.forEach(DirectoryFollower::mayBeRefused);
        }
        model.opened(RecordedEvent.toNanos(wall), nanos);
        noteDeleted();
    }

    private void openOrEnd() throws IOException {
        if (writer == null) {
            model.skip(random.nextInt(3));
            open();
        } else if (random.nextBoolean()) {
            say("closed");
            close();
        } else {
            say("killed");
            writer.kill();
            writer = null;
        }
    }

    private void close() throws IOException {
        if (writer != null) {
            long lost = writer.close();
            writer = null;
            noteDeleted();
            model.checkTold(lost);
        }
    }

    void tick() throws IOException {
        if (writer != null) {
            pass(DirectoryLock.BEAT);
            writer.tick();
            noteDeleted();
            model.checkTold(writer.counters.statistics(0, 0, 0).lost());
        }
    }

    private void write(Tags tags) throws IOException {
        DirectoryWriter to = writer;
        List<DirectoryModel.Sent> events = model.next(tags);
        if (to == null) {
            return; // nobody records them
        }
        long time = RecordedEvent.toNanos(wall);
        int torn = random.nextInt(25) == 0 ? random.nextInt(5_000) : -1;
        Path file;
        try {
            file = to.write(tags, events.stream().map(DirectoryModel.Sent::event).toList(), time, torn);
        } catch (DirectoryWriter.Killed e) {
            say("killed after " + torn + " bytes of " + events);
            to.kill();
            writer = null;
            noteDeleted();
            return;
        }
        model.acknowledged(events, file, to.size(), time, nanos);
        say("wrote " + events + " to " + file.getFileName());
        noteDeleted();
    }

    private void anotherRecorder() throws IOException {
        DirectoryWriter present = writer;
        if (present == null) {
            return;
        }
        boolean isHere = random.nextInt(4) == 0;
        say("another recorder, of " + (isHere ? "this" : "another") + " process");
        try {
            new DirectoryWriter(directory, options(), surroundings(isHere ? here : other), () -> nanos).kill();
        } catch (NetioRecordingException e) {
            check(e.reason() == Reason.IN_USE, "refused with " + e);
            noteDeleted();
            return;
        }
        throw new AssertionError("two recorders write in the directory");
    }

    static void check(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }

    /** What is gone and no user has done it, the recorder has deleted. */
    private void noteDeleted() throws IOException {
        for (Path file : model.files()) {
            if (Files.notExists(file)) {
                say("the recorder has deleted " + file.getFileName());
                long maxAge = retention == Retention.AGE ? MAX_AGE : Long.MAX_VALUE;
                check(model.mayBeDeleted(file, retention == Retention.SIZE, maxAge, nanos), "deleted too early: " + file);
                model.gone(file, 0);
                model.forget(file);
            }
        }
    }

    // ---- readers

    private void follow() throws IOException {
        if (followers.size() == MOST_FOLLOWERS) {
            return;
        }
        Tags tags = STREAMS.get(random.nextInt(STREAMS.size()));
        RecordingPosition from = switch (random.nextInt(4)) {
            case 0 -> RecordingPosition.beginning();
            case 1 -> RecordingPosition.end();
            case 2 -> RecordingPosition.at(wall);
            default -> RecordingPosition.at(wall.plusMillis(random.nextInt(20_000)));
        };
        try {
            followers.add(new DirectoryFollower(directory, model, tags, from));
            say("follows " + tags + " from " + from);
        } catch (NetioRecordingException e) {
            check(e.reason() == Reason.NOT_RECORDED && !model.mustHave(tags), "cannot follow: " + e);
        }
    }

    private void checkAll() throws IOException {
        for (Tags tags : STREAMS) {
            model.checkWhole(tags, DirectoryFollower.all(directory, model, tags));
        }
    }

    private void clocks() {
        long jump = switch (random.nextInt(4)) {
            case 0 -> TimeUnit.DAYS.toNanos(1 + random.nextInt(20_000));
            case 1 -> TimeUnit.MINUTES.toNanos(random.nextInt(100));
            case 2 -> -TimeUnit.MINUTES.toNanos(random.nextInt(100));
            default -> 0;
        };
        if (jump == 0) {
            pass(random.nextLong(20 * SECOND));
        } else if (retention != Retention.AGE || writer != null) {
            Instant next = wall.plusNanos(jump);
            wall = next.isAfter(Instant.parse("2100-01-01T00:00:00Z")) ? Instant.parse("2026-01-01T00:00:00Z") : next;
            say("the clock was set by " + Duration.ofNanos(jump));
        }
    }

    /** Runs worlds: the first seed, and how many. Ends with 1 at the first that fails. */
    public static void main(String[] args) throws IOException {
        long first = Long.parseLong(args[0]);
        long worlds = Long.parseLong(args[1]);
        for (long seed = first; seed < first + worlds; seed++) {
            Path at = Files.createTempDirectory("world");
            try {
                run(at, seed);
            } catch (AssertionError e) {
                System.out.println("FAILED seed " + seed + "\n  ! " + e.getMessage());
                if (Boolean.getBoolean("trace")) {
                    e.printStackTrace(System.out);
                }
                System.exit(1);
            } finally {
                delete(at);
            }
        }
        System.out.println("none in " + worlds);
    }

    static void delete(Path at) {
        try (Stream<Path> all = Files.walk(at)) {
            all.sorted(Comparator.reverseOrder()).forEach(each -> each.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
