// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.messages;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Whatever ends a reader of a served recording, its client is told. */
class ServedEndsTest {
    private static final int LARGEST = 5_000;

    @TempDir
    Path directory;

    private final List<Runnable> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.reversed().forEach(Runnable::run);
    }

    private DisposableServer serve(RecordingReader reader, int port) {
        DisposableServer server = NetioRecordingServer.create(reader)
                .serve(NetioServer.create().backend(BackendType.TCP).port(port)).bindNow();
        open.add(() -> server.disposeNow(SOON));
        return server;
    }

    private NetioRecording recording() {
        NetioRecording recording = NetioRecording.open(directory);
        open.add(recording::close);
        return recording;
    }

    private static NetioClient client(DisposableServer server) {
        return NetioClient.create().backend(BackendType.TCP).port(server.port());
    }

    private static Throwable end(Flux<?> flux) {
        return flux.ignoreElements().materialize().mapNotNull(signal -> signal.getThrowable()).block(SOON);
    }

    private static void assertEnds(Flux<?> flux, Reason reason, String... words) {
        assertThat(end(flux)).isInstanceOfSatisfying(NetioRecordingException.class, error ->
                assertThat(error.reason()).isEqualTo(reason)).hasMessageContainingAll(words);
    }

    private static SequencedEvent sized(long number, int bytes) {
        return new SequencedMessage(TAG, 1, number, new TaggedMessage(7, 0, ByteBuffer.allocate(bytes)));
    }

    /** What a client takes as a subscriber, it takes as a reader, too. */
    @Test
    void shouldServeTheLargestMessageThatItsClientTakesAndTellOfALargerOne() {
        Events.record(directory, List.of(sized(0, LARGEST), sized(1, LARGEST + 1), sized(2, 1)));
        DisposableServer server = serve(recording(), 0);
        NetioRecordingClient reader = NetioRecordingClient.create(client(server)
                .framing(Framing.stream().maxMessageSize(LARGEST)));
        StepVerifier.create(reader.read(TAG, (Position) null)).expectNext(sized(0, LARGEST))
                .expectErrorSatisfies(error -> assertThat(((NetioRecordingException) error).reason()).isEqualTo(Reason.LIMIT))
                .verify(SOON);
        assertEnds(reader.follow(TAG, new Position(1, 0)), Reason.LIMIT, "maxMessageSize", "5041");
        assertThat(reader.read(TAG, new Position(1, 1)).collectList().block(SOON)).containsExactly(sized(2, 1));
    }

    /** What it cannot be told, as no text has room in its messages, it learns by the end of its connection. */
    @Test
    void shouldCloseTheConnectionOfAClientThatCannotBeTold() {
        Events.record(directory, List.of(sized(0, 100)));
        NetioClient small = client(serve(recording(), 0)).framing(Framing.stream().maxMessageSize(2));
        assertThat(end(NetioRecordingClient.create(small).follow(TAG, null))).isInstanceOf(NetioException.class);
    }

    /** A reader whose Flux is what a test wants, or that throws. */
    private record Reader(Supplier<Flux<RecordedEvent>> events) implements RecordingReader {
        @Override
        public Mono<List<RecordedTags>> tags() {
            return events.get().then(Mono.error(() -> new OutOfMemoryError("Java heap space")));
        }

        @Override
        public Flux<RecordedEvent> read(Tags tags, RecordingPosition from, boolean follow) {
            return events.get();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTellOfWhateverFailsAtTheServer(boolean throwing) {
        List<Throwable> failures = List.of(new OutOfMemoryError("Java heap space"), new IllegalStateException("that happens"),
                new AssertionError("that, too\n\u001b[31mforged"));
        for (Throwable failure : failures) {
            RecordedEvent first = new RecordedEvent(message(1, 0), 0);
            Reader failing = new Reader(() -> {
                if (throwing && failure instanceof RuntimeException thrown) {
                    throw thrown;
                }
                return Flux.concat(Flux.just(first), Flux.error(failure));
            });
            NetioRecordingClient reader = NetioRecordingClient.create(client(serve(failing, 0)));
            String word = failure.getClass().getSimpleName();
            assertEnds(reader.read(TAG, (Position) null), Reason.DISK, "has failed", word);
            assertThat(end(reader.follow(TAG, null)).getMessage()).doesNotContain("\n", "\u001b");
            assertEnds(reader.tags().flux(), Reason.DISK, "has failed");
        }
    }

    /** A server of what another serves: it says that it has lost that, and is asked again when it may have it back. */
    @Test
    void shouldTellThatItsOriginIsGoneAndGoOnWhenItIsBack() {
        Events.record(directory, messages(0, 3));
        NetioRecording recording = recording();
        DisposableServer origin = serve(recording, 0);
        DisposableServer middle = serve(NetioRecordingClient.create(client(origin)), 0);
        NetioRecordingClient reader = NetioRecordingClient.create(client(middle));
        StepVerifier.create(reader.follow(TAG, null)).expectNextCount(3)
                .then(() -> origin.shutdown(Duration.ofMillis(1)).block(SOON))
                .expectErrorSatisfies(error ->
                        assertThat(((NetioRecordingException) error).reason()).isEqualTo(Reason.UNAVAILABLE))
                .verify(SOON);
        assertEnds(reader.tags().flux(), Reason.UNAVAILABLE, "cannot read it");
        AtomicInteger retries = new AtomicInteger();
        var again = reader.reconnect(Retry.fixedDelay(1_000, Duration.ofMillis(20))
                .doBeforeRetry(signal -> retries.incrementAndGet())).read(TAG, new Position(1, 0)).collectList().toFuture();
        Flux.interval(Duration.ofMillis(10)).filter(n -> retries.get() > 1).blockFirst(SOON);
        serve(recording, origin.port());
        assertThat(again.join()).extracting(Events::text).containsExactly("1:1=m1", "1:2=m2");
    }

    @Test
    void shouldEndFollowersWhoseSchedulerIsDisposedOf() {
        Events.record(directory, messages(0, 3));
        Scheduler scheduler = Schedulers.newSingle("disposed-of");
        NetioRecording recording = NetioRecording.open(directory, scheduler, Duration.ofMillis(1));
        open.add(recording::close);
        StepVerifier.create(recording.follow(TAG, null)).expectNextCount(3).then(scheduler::dispose)
                .expectErrorSatisfies(error -> assertThat(((NetioRecordingException) error).reason()).isEqualTo(Reason.CLOSED))
                .verify(SOON);
    }

    /** Whatever the readers do when it is disposed of, and also if it forgets what it was to run. */
    @Test
    void shouldEndAllReadersOfASchedulerThatIsDisposedOf() {
        Events.record(directory, messages(0, 2_000));
        for (int round = 0; round < 50; round++) {
            Scheduler scheduler = Schedulers.newSingle("disposed-of");
            NetioRecording recording = NetioRecording.open(directory, scheduler, Duration.ofMillis(1));
            open.add(recording::close);
            List<CompletableFuture<Throwable>> ends = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                CompletableFuture<Throwable> end = new CompletableFuture<>();
                long demand = i < 3 ? Long.MAX_VALUE : i; // those that follow to the end, and those that ask for no more
                recording.follow(TAG, null).subscribe(new BaseSubscriber<>() {
                    @Override
                    protected void hookOnSubscribe(Subscription subscription) {
                        subscription.request(demand);
                    }

                    @Override
                    protected void hookOnError(Throwable error) {
                        end.complete(error);
                    }
                });
                ends.add(end);
            }
            LockSupport.parkNanos(round * 200_000L);
            scheduler.dispose();
            assertThat(ends).as("round %s", round).allSatisfy(end -> assertThat(end.orTimeout(20, TimeUnit.SECONDS).join())
                    .isInstanceOfSatisfying(NetioRecordingException.class,
                            error -> assertThat(error.reason()).isEqualTo(Reason.CLOSED)));
        }
    }
}
