// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.api.Tags;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.StatusLine;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.Fsync;
import io.reactivenetio.recorder.Lost;
import io.reactivenetio.recorder.NetioRecorder;
import io.reactivenetio.recorder.NetioRecordingException;
import io.reactivenetio.recorder.Recorded;
import io.reactivenetio.recorder.RecorderOptions;
import io.reactivenetio.recorder.RecorderStatistics;
import io.reactivenetio.recorder.WhenFull;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Records what a publisher publishes. */
@Command(name = "record", description = "Records the messages of a publisher in a directory, and goes on behind what is there"
        + " already. Ends when the publisher's streams are complete, or with Ctrl-C, when all that came is written.")
public final class RecordCommand implements Callable<Integer> {
    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;

    @Option(names = "--dir", paramLabel = "DIR", required = true, converter = DirectoryOption.class,
            description = "Where to record. It is made if it is not there.")
    private @Nullable Path dir;

    @Option(names = "--max-size", paramLabel = "SIZE", converter = SizeOption.class,
            description = "The limit for the directory, such as 500M or 2G. Default: none.")
    private @Nullable Long maxSize;

    @Option(names = "--max-age", paramLabel = "TIME", converter = TimeOption.class,
            description = "Delete what is older, such as 30s, 10m, 12h or 7d. Default: never.")
    private @Nullable Duration maxAge;

    @Option(names = "--when-full", paramLabel = "POLICY", defaultValue = "delete-oldest", converter = FullOption.class,
            description = "What to do at --max-size, or when the disk is full: delete-oldest, wait or fail."
                    + " Default: ${DEFAULT-VALUE}.")
    private WhenFull whenFull = WhenFull.DELETE_OLDEST;

    @Option(names = "--fsync", paramLabel = "WHEN", defaultValue = "never", converter = FsyncOption.class,
            description = "Bring the files to the disk never, after each write (each), or once in a while, such as 200ms."
                    + " Default: ${DEFAULT-VALUE}.")
    private Fsync fsync = Fsync.never();

    @Option(names = "--segment-size", paramLabel = "SIZE", converter = SizeOption.class,
            description = "When a file ends and the next begins. Default: 256M.")
    private @Nullable Long segmentSize;

    @Option(names = "--count", paramLabel = "N", description = "Stop after this many messages.")
    private @Nullable Long count;

    @Option(names = "--json", description = "Report as one JSON object on stdout.")
    private boolean json;

    @Mixin
    private PublisherOptions publisher = new PublisherOptions();

    /** Called by picocli. */
    public RecordCommand() {
    }

    @Override
    @SuppressWarnings("SystemOut") // beside the result
    public Integer call() {
        if (count != null && count < 1) {
            throw CliException.usage("--count must be more than 0");
        }
        NetioSubscriber subscriber = publisher.subscriber();
        RecorderOptions options = options();
        long begun = System.nanoTime();
        try (Interruptible interruptible = new Interruptible()) {
            NetioRecorder recorder = NetioRecorder.open(Objects.requireNonNull(dir), options);
            recorder.lost().forEach(RecordCommand::tell);
            try (StatusLine line = StatusLine.of(() -> status(recorder, begun), !json);
                    RecordWatch _ = new RecordWatch(recorder, line, interruptible)) {
                record(recorder, subscriber, interruptible).blockLast();
            } catch (NetioRecordingException e) {
                if (!interruptible.isAsked()) {
                    throw e;
                }
                System.err.println("netio: " + e.getMessage()); // no room, as a rule
            } finally {
                recorder.close();
                summary(recorder.statistics(), (System.nanoTime() - begun) / NANOS).print(json);
            }
            return exitCode(recorder.statistics(), interruptible);
        }
    }

    /** What came and is not there is a failure, however the command has ended. */
    @SuppressWarnings("SystemOut") // beside the result
    private static int exitCode(RecorderStatistics all, Interruptible interruptible) {
        if (all.lost() + all.unwritten() == 0) {
            return 0;
        }
        System.err.printf(Locale.ROOT, "netio: not all that came is recorded: %,d messages were lost, %,d were not written%n",
                all.lost(), all.unwritten());
        interruptible.failed();
        return CliException.FAILURE;
    }

    private RecorderOptions options() {
        try {
            RecorderOptions options = RecorderOptions.defaults().whenFull(whenFull).fsync(fsync);
            options = maxSize == null ? options : options.maxBytes(maxSize);
            options = maxAge == null ? options : options.maxAge(maxAge);
            return segmentSize == null ? options : options.segmentBytes(segmentSize);
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    private Flux<Recorded> record(NetioRecorder recorder, NetioSubscriber subscriber, Interruptible interruptible) {
        AtomicLong left = new AtomicLong(count == null ? Long.MAX_VALUE : count);
        Sinks.Empty<Void> enough = Sinks.empty();
        Mono<Void> stop = Mono.firstWithSignal(interruptible.asked(), enough.asMono());
        return Flux.merge(Flux.fromIterable(publisher.tags()).map(one -> recorder.record(one,
                events(recorder, subscriber, one)
                        .takeUntil(event -> event instanceof SequencedMessage && left.decrementAndGet() <= 0)
                        .doOnNext(event -> {
                            if (left.get() <= 0) {
                                enough.tryEmitEmpty();
                            }
                        })
                        .takeUntilOther(stop))), publisher.tags().size());
    }

    private static Flux<SequencedEvent> events(NetioRecorder recorder, NetioSubscriber subscriber, Tags one) {
        return Flux.defer(() -> {
            Position last = recorder.position(one);
            return last == null ? subscriber.subscribeSequenced(one) : subscriber.subscribeSequenced(one, last);
        });
    }

    @SuppressWarnings("SystemOut") // beside the result
    private static void tell(Lost lost) {
        System.err.printf(Locale.ROOT, "%s: %,d bytes at %,d could not be used%s%n", lost.segment(), lost.bytes(), lost.offset(),
                lost.gap() == null ? "" : "; " + lost.gap().messages() + " messages were in them");
    }

    private String status(NetioRecorder recorder, long begun) {
        RecorderStatistics now = recorder.statistics();
        double seconds = (System.nanoTime() - begun) / NANOS;
        return String.format(Locale.ROOT, "%,d recorded  %,.0f/s  %.1f MB/s  %.1f MB on the disk%s  %d gaps, %d missing%s",
                now.messages(), now.messages() / seconds, now.bytes() / MEGA / seconds, now.diskBytes() / MEGA,
                room(recorder.directory()), now.gaps(), now.missing(), now.waitsForRoom() ? "  WAITS FOR ROOM" : "");
    }

    private static String room(Path directory) {
        try {
            return String.format(Locale.ROOT, ", %.1f MB left", Files.getFileStore(directory).getUsableSpace() / MEGA);
        } catch (IOException unknown) {
            return "";
        }
    }

    private static Summary summary(RecorderStatistics all, double seconds) {
        return new Summary().with("messages", all.messages()).with("bytes", all.bytes()).withTime(seconds, all.messages())
                .with("gaps", all.gaps()).with("missing", all.missing()).with("new runs", all.runChanges())
                .with("duplicates", all.duplicates()).with("written bytes", all.writtenBytes())
                .with("segments", all.segments()).with("bytes on disk", all.diskBytes())
                .with("deleted segments", all.deletedSegments()).with("lost", all.lost()).with("not written", all.unwritten());
    }
}
