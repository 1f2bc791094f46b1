// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.HostPort;
import io.reactivenetio.examples.cli.Json;
import io.reactivenetio.examples.cli.NetworkOptions;
import io.reactivenetio.examples.cli.ServedPublisher;
import io.reactivenetio.examples.cli.StatusLine;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.recorder.NetioRecording;
import io.reactivenetio.recorder.NetioRecordingServer;
import io.reactivenetio.recorder.NetioReplay;
import io.reactivenetio.recorder.RecordedRun;
import io.reactivenetio.recorder.RecordedTags;
import io.reactivenetio.recorder.RecordingPosition;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;

/** Publishes a recording again, or says what is in it. */
@Command(name = "replay", description = "Publishes a recording again, with the same tags, in the same order. Ends when all"
        + " streams were published and the subscribers have gone.")
public final class ReplayCommand implements Callable<Integer> {
    private static final double NANOS = 1e9;

    @Option(names = "--dir", paramLabel = "DIR", required = true, converter = DirectoryOption.class,
            description = "Where the recording is.")
    private @Nullable Path dir;

    @Option(names = "--listen", paramLabel = "HOST:PORT", converter = HostPort.Converter.class,
            description = "Where to listen. Port 0 finds a free one; stderr says which.")
    private @Nullable HostPort listen;

    @Option(names = "--list", description = "Say what is recorded, as a table, and end.")
    private boolean list;

    @Option(names = "--serve", description = "Serve the recording to readers by tag and position (NetioRecordingClient), until"
            + " Ctrl-C, instead of publishing it. It may be recorded at the same time.")
    private boolean serve;

    @Option(names = "--speed", paramLabel = "X", defaultValue = "1.0",
            description = "1.0 is the pace at which it was recorded, 0 as fast as subscribers ask. Default: ${DEFAULT-VALUE}.")
    private double speed = 1;

    @Option(names = "--from", paramLabel = "TIME", description = "Begin at this time of the recording: 2026-11-23T22:00:00Z.")
    private @Nullable String from;

    @Option(names = "--longest-pause", paramLabel = "TIME", converter = TimeOption.class,
            description = "Leave out the rest of a longer pause, as where the recorder's clock was set ahead. Default: 1h.")
    private @Nullable Duration longestPause;

    @Option(names = "--json", description = "Report as one JSON object on stdout.")
    private boolean json;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    /** Called by picocli. */
    public ReplayCommand() {
    }

    @Override
    public Integer call() {
        if (listen == null && !list) {
            throw CliException.usage("--listen or --list is needed");
        }
        if (!(speed >= 0 && speed < Double.POSITIVE_INFINITY)) {
            throw CliException.usage("--speed must be 0 or more: " + speed);
        }
        if (longestPause != null && longestPause.compareTo(Duration.ofSeconds(1)) < 0) {
            throw CliException.usage("--longest-pause must be a second or more");
        }
        RecordingPosition begin = begin();
        try (NetioRecording recording = NetioRecording.open(Objects.requireNonNull(dir))) {
            List<RecordedTags> streams = recording.tags().blockOptional().orElse(List.of());
            if (list && json) {
                json(streams);
            } else if (list) {
                table(streams);
            } else if (streams.isEmpty() && !serve) {
                throw CliException.failure("nothing is recorded in " + dir, new IllegalStateException("no segments"));
            } else if (serve) {
                serve(recording);
            } else {
                replay(recording, begin);
            }
        }
        return 0;
    }

    private RecordingPosition begin() {
        String time = from;
        try {
            return time == null ? RecordingPosition.beginning() : RecordingPosition.at(Instant.parse(time));
        } catch (DateTimeParseException e) {
            throw CliException.usage("--from: '" + time + "' is not a time such as 2026-11-23T22:00:00Z");
        }
    }

    private void replay(NetioRecording recording, RecordingPosition begin) {
        NetioPublisher publisher = NetioPublisher.create();
        NetioReplay replay = replay(recording).speed(speed).from(begin).doOnPause(pause -> say("netio: nothing was recorded for a"
                + " while, or the clock was set: the replay waits for " + pause.toSeconds() + " s at most"));
        Mono<Void> published = replay.publishTo(publisher);
        long begun = System.nanoTime();
        try (Interruptible interruptible = new Interruptible()) {
            try (ServedPublisher served = new ServedPublisher(publisher, server());
                    StatusLine _ = StatusLine.of(() -> String.format(Locale.ROOT, "%,d published",
                            publisher.statistics().published()), !json)) {
                Mono.firstWithSignal(published.then(served.left()), interruptible.asked()).block();
            } finally {
                new Summary().with("messages", publisher.statistics().published())
                        .withTime((System.nanoTime() - begun) / NANOS, publisher.statistics().published())
                        .with("damaged blocks", recording.statistics().damagedBlocks())
                        .with("skipped bytes", recording.statistics().skippedBytes()).print(json);
            }
        }
    }

    private NetioReplay replay(NetioRecording recording) {
        NetioReplay replay = NetioReplay.of(recording);
        return longestPause == null ? replay : replay.longestPause(longestPause);
    }

    @SuppressWarnings("SystemOut") // beside the result
    private static void say(String what) {
        System.err.println(what);
    }

    private void serve(NetioRecording recording) {
        DisposableServer server = ServedPublisher.bind(NetioRecordingServer.create(recording).serve(server()));
        try (Interruptible interruptible = new Interruptible()) {
            interruptible.asked().block();
        } finally {
            server.dispose();
        }
    }

    private NetioServer server() {
        return network.server(Objects.requireNonNull(listen));
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private static void json(List<RecordedTags> streams) {
        System.out.println(Json.write(Map.of("streams", streams.stream().map(stream -> {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("stream", stream.tags().toString());
            fields.put("bytes", stream.bytes());
            fields.put("runs", stream.runs().stream().map(ReplayCommand::run).toList());
            return fields;
        }).toList())));
        System.out.flush();
    }

    private static Map<String, Object> run(RecordedRun run) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("run", String.format("%016x", run.run()));
        fields.put("first", run.first());
        fields.put("last", run.last());
        fields.put("from", run.from());
        fields.put("until", run.until());
        return fields;
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private static void table(List<RecordedTags> streams) {
        String row = "%-24s %16s %12s %12s %-30s %-30s %14s%n";
        System.out.printf(Locale.ROOT, row, "stream", "run", "first", "last", "from", "until", "bytes");
        for (RecordedTags stream : streams) {
            String name = stream.tags().toString();
            String bytes = String.format(Locale.ROOT, "%,d", stream.bytes());
            for (RecordedRun run : stream.runs()) {
                System.out.printf(Locale.ROOT, row, name, String.format("%016x", run.run()), run.first(), run.last(), run.from(),
                        run.until(), bytes);
                name = "";
                bytes = "";
            }
        }
        System.out.flush();
    }
}
