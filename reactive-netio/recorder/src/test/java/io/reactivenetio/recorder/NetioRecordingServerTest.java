// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.messages;
import static io.reactivenetio.recorder.Events.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Over real sockets. */
class NetioRecordingServerTest {
    private static final RecorderOptions PROMPT = RecorderOptions.defaults().linger(Duration.ZERO);

    @TempDir
    Path directory;

    private NetioRecording recording;
    private NetioRecordingServer service;
    private DisposableServer server;
    private NetioClient client;

    private NetioRecordingClient serve(int maxReaders) {
        recording = NetioRecording.open(directory);
        service = NetioRecordingServer.create(recording).maxReaders(maxReaders);
        server = service.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        client = NetioClient.create().backend(BackendType.TCP).port(server.port());
        return NetioRecordingClient.create(client);
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.disposeNow(SOON);
            recording.close();
        }
    }

    @Test
    void shouldServeWhatWasRecorded() {
        Events.record(directory, List.of(message(1, 5), new Gap(TAG, 1, 6, 8), message(1, 9),
                new RunChange(TAG, new Position(1, 9), 2), message(2, 0)));
        NetioRecordingClient reader = serve(10);
        List<String> all = List.of("1:5=m5", "1:6-8", "1:9=m9", "1:9>2", "2:0=m0");
        assertThat(texts(reader.read(TAG, (Position) null))).isEqualTo(all);
        assertThat(texts(reader.read(TAG, new Position(1, 8)))).isEqualTo(all.subList(2, 5));
        assertThat(texts(reader.read(TAG, new Position(2, 0)))).isEmpty();
        assertThat(reader.tags().block(SOON)).isEqualTo(recording.tags().block(SOON)).hasSize(1);
        RecordingPosition beginning = RecordingPosition.beginning();
        assertThat(reader.read(TAG, beginning, false).map(RecordedEvent::time).collectList().block(SOON))
                .isEqualTo(recording.read(TAG, beginning, false).map(RecordedEvent::time).collectList().block(SOON));
        assertThat(texts(reader.read(TAG, RecordingPosition.at(Instant.EPOCH), false).map(RecordedEvent::event))).isEqualTo(all);
        awaitReaders(0);
    }

    /** Run 1 was deleted when it was old, and so were the first messages of run 2. */
    @Test
    void shouldGoOnWithTheOldestIfItsRunWasDeleted() throws IOException {
        Events.record(directory, List.of(message(1, 0), message(1, 1))); // a segment each time
        Events.record(directory, List.of(new RunChange(TAG, new Position(1, 1), 2), message(2, 0)));
        Events.record(directory, List.of(message(2, 1), message(2, 2)));
        NetioRecordingClient reader = serve(10);
        RecordingPosition last = RecordingPosition.afterOrOldest(new Position(1, 0));
        assertThat(texts(reader.read(TAG, last, false).map(RecordedEvent::event)))
                .containsExactly("1:1=m1", "1:1>2", "2:0=m0", "2:1=m1", "2:2=m2"); // it is there, so nothing is skipped
        recording.close();
        server.disposeNow(SOON);
        for (int segment = 1; segment <= 2; segment++) {
            Files.delete(directory.resolve(Format.segmentName(segment)));
        }
        reader = serve(10);
        assertThat(reason(reader.read(TAG, new Position(1, 0)))).isEqualTo(Reason.UNKNOWN_RUN);
        assertThat(texts(reader.read(TAG, last, false).map(RecordedEvent::event)))
                .containsExactly("1:0>2", "2:0-0", "2:1=m1", "2:2=m2");
        assertThat(texts(recording.read(TAG, last, false).map(RecordedEvent::event)))
                .containsExactly("1:0>2", "2:0-0", "2:1=m1", "2:2=m2");
    }

    @Test
    void shouldRefuseWithTheReason() {
        Events.record(directory, messages(0, 3));
        NetioRecordingClient reader = serve(1);
        assertThat(reason(reader.read(Tags.of(8), (Position) null))).isEqualTo(Reason.NOT_RECORDED);
        awaitReaders(0); // the client knows of its end before the server has counted it
        assertThat(reason(reader.read(TAG, new Position(9, 9)))).isEqualTo(Reason.UNKNOWN_RUN);
        awaitReaders(0);
        Flux<SequencedEvent> two = Flux.merge(reader.follow(TAG, null), reader.follow(TAG, null));
        assertThat(reason(two)).isEqualTo(Reason.LIMIT);
        awaitReaders(0);
        assertThat(texts(reader.read(TAG, (Position) null))).hasSize(3);
        awaitReaders(0);
        recording.close();
        assertThat(reason(reader.read(TAG, (Position) null))).isEqualTo(Reason.CLOSED);
        server.disposeNow(SOON);
        StepVerifier.create(reader.read(TAG, (Position) null)).verifyError(NetioConnectException.class);
    }

    private void awaitReaders(int number) {
        Flux.interval(Duration.ofMillis(10)).filter(n -> service.readers() == number).blockFirst(SOON);
    }

    private static Reason reason(Flux<?> flux) {
        return ((NetioRecordingException) flux.ignoreElements().materialize().map(signal -> signal.getThrowable()).block(SOON))
                .reason();
    }

    /** The disk is read for what is asked for: one block, of many. */
    @Test
    void shouldReadByDemandOnly() {
        Events.record(directory, PROMPT.blockBytes(4096), messages(0, 20_000));
        NetioRecordingClient reader = serve(10);
        BaseSubscriber<SequencedEvent> slow = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                request(3);
            }
        };
        AtomicLong received = new AtomicLong();
        reader.read(TAG, (Position) null).doOnNext(event -> received.incrementAndGet()).subscribe(slow);
        Flux.interval(Duration.ofMillis(10)).filter(n -> received.get() == 3).blockFirst(SOON);
        Mono.delay(Duration.ofMillis(300)).block();
        assertThat(received).hasValue(3);
        slow.cancel();
        StepVerifier.create(reader.read(TAG, (Position) null), 0).thenRequest(2).expectNextCount(2)
                .expectNoEvent(Duration.ofMillis(50)).thenRequest(Long.MAX_VALUE).expectNextCount(19_998).verifyComplete();
    }

    @Test
    void shouldFollowWhatIsBeingRecorded() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 10))).blockLast(SOON);
            NetioRecordingClient reader = serve(10);
            StepVerifier.create(reader.follow(TAG, new Position(1, 4)).map(Events::text))
                    .expectNext("1:5=m5").expectNextCount(4)
                    .then(() -> recorder.record(TAG, Flux.fromIterable(messages(10, 1000))).blockLast(SOON))
                    .expectNextCount(990)
                    .then(() -> recorder.record(TAG, Flux.just(message(1, 1002))).blockLast(SOON))
                    .expectNext("1:1000-1001", "1:1002=m1002")
                    .thenCancel().verify(SOON);
        }
    }

    @Test
    void shouldServeFourThousandReadersOnOneConnection() {
        List<Tags> all = IntStream.range(0, 4000).mapToObj(Tags::of).toList();
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            Flux.fromIterable(all).flatMap(tags -> recorder.record(tags, Flux.just(message(tags, 1, 0, "" + tags.first()))), 4000)
                    .blockLast(SOON);
        }
        NetioRecordingClient reader = serve(4000);
        List<String> texts = texts(Flux.fromIterable(all).flatMap(tags -> reader.read(tags, (Position) null), 900));
        assertThat(texts).hasSize(4000).doesNotHaveDuplicates();
        assertThat(reader.tags().block(SOON)).hasSize(4000);
    }

    /** Readers that cancel at any time leave nothing open behind. */
    @Test
    void shouldCloseReadersThatCancel() {
        Events.record(directory, PROMPT, messages(0, 5000));
        NetioRecordingClient reader = serve(10);
        StepVerifier.create(reader.follow(TAG, null).take(1)).expectNextCount(1).verifyComplete();
        Mono<Void> held = reader.follow(TAG, null).then(); // keeps the connection
        var open = held.subscribe();
        for (int i = 0; i < 60; i++) {
            reader.read(TAG, (Position) null).take(Duration.ofMillis(i % 8)).onErrorComplete().blockLast(SOON);
        }
        awaitReaders(1);
        open.dispose();
        awaitReaders(0);
    }

    /** From the publisher to the disk and back to a client, by the client's and the recorder's own ways. */
    @Test
    void shouldRecordAPublisherAndPublishItAgain() {
        List<TaggedMessage> messages = IntStream.range(0, 2000).mapToObj(n -> new TaggedMessage(10 + n % 3, n % 256,
                StandardCharsets.UTF_8.encode("n" + n))).toList();
        Tags tags = Tags.range(10, 12);
        NetioPublisher publisher = NetioPublisher.create().publish(tags, Flux.fromIterable(messages));
        DisposableServer source = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        NetioClient toSource = NetioClient.create().backend(BackendType.TCP).port(source.port());
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            recorder.record(NetioSubscriber.create(toSource), tags).blockLast(SOON);
            assertThat(recorder.statistics().messages()).isEqualTo(2000);
            assertThat(recorder.statistics().missing()).isZero();
        }
        source.disposeNow(SOON);
        recording = NetioRecording.open(directory);
        NetioPublisher again = NetioPublisher.create();
        Mono<Void> end = NetioReplay.of(recording).speed(0).publishTo(again);
        server = again.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        client = NetioClient.create().backend(BackendType.TCP).port(server.port());
        assertThat(NetioSubscriber.create(client).subscribe(tags).collectList().block(SOON)).isEqualTo(messages);
        end.block(SOON);
    }

    @Test
    void shouldRefuseToReadTheDiskOnALoop() {
        Events.record(directory, PROMPT, messages(0, 1));
        recording = NetioRecording.open(directory);
        assertThatThrownBy(() -> Mono.fromCallable(() -> NetioReplay.of(recording).publishTo(NetioPublisher.create()))
                .subscribeOn(Schedulers.parallel()).block(SOON))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("loop's thread: parallel-");
    }

    @Test
    void shouldReplayAtTheOriginalPace() {
        AtomicLong millis = new AtomicLong();
        RecorderOptions options = PROMPT.clock(() -> Instant.ofEpochMilli(millis.getAndAdd(100)));
        Events.record(directory, options, messages(0, 6));
        recording = NetioRecording.open(directory);
        NetioPublisher again = NetioPublisher.create();
        NetioReplay.of(recording).speed(0.5).publishTo(again);
        server = again.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        client = NetioClient.create().backend(BackendType.TCP).port(server.port());
        List<Long> times = NetioSubscriber.create(client).subscribe(7).elapsed().map(each -> each.getT1())
                .collectList().block(SOON);
        assertThat(times).hasSize(6);
        // from before the first: it may have waited for a CPU, and the others not
        assertThat(times.stream().mapToLong(Long::longValue).sum()).isBetween(1000L, 20_000L);
    }

    /** The connection breaks time and again: nothing is lost, nothing comes twice. */
    @Test
    void shouldGoOnOverLostConnections() {
        Events.record(directory, PROMPT, messages(0, 3000));
        serve(100);
        AtomicLong seen = new AtomicLong();
        AtomicLong connections = new AtomicLong();
        NetioRecordingClient reader = NetioRecordingClient.create(client.doOnConnected(connection -> // each a little later
                Mono.delay(Duration.ofMillis(30 + 5 * connections.getAndIncrement())).subscribe(n -> connection.dispose())))
                .reconnect(Retry.fixedDelay(1000, Duration.ofMillis(5)));
        List<String> texts = texts(reader.read(TAG, (Position) null).limitRate(10).doOnNext(event -> {
            if (seen.incrementAndGet() % 300 == 0) {
                pause();
            }
        }));
        assertThat(texts).hasSize(3000).doesNotHaveDuplicates().endsWith("1:2999=m2999");
    }

    private static void pause() {
        try {
            Thread.sleep(20); // the reader is slow
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldKeepEmptyAndLargeMessagesOnTheWay() {
        byte[] large = new byte[3_000_000];
        new java.util.Random(1).nextBytes(large);
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            recorder.recordMessages(TAG, Flux.just(new TaggedMessage(7, 9, ByteBuffer.allocate(0)),
                    TaggedMessage.of(7, ByteBuffer.wrap(large)))).blockLast(SOON);
        }
        NetioRecordingClient reader = serve(10);
        List<SequencedEvent> events = reader.read(TAG, (Position) null).collectList().block(SOON);
        assertThat(events).isEqualTo(recording.read(TAG, (Position) null).collectList().block(SOON)).hasSize(2);
    }
}
