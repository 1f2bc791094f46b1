// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.messages;
import static io.reactivenetio.recorder.Events.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import io.reactivenetio.test.NetioTestPair;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Readers at the end of what is being written. */
class FollowTest {
    private static final RecorderOptions PROMPT = RecorderOptions.defaults().linger(Duration.ZERO);

    @TempDir
    Path directory;

    /** Over the ends of many segments, on one thread for all. */
    @Test
    void shouldGetEverythingWhileItIsWritten() {
        Scheduler one = Schedulers.newSingle("one-reader");
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT.segmentBytes(16_384).blockBytes(4096))) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 1))).blockLast(SOON);
            try (NetioRecording recording = NetioRecording.open(directory, one, Duration.ofMillis(1))) {
                Mono<List<String>> all = Flux.range(0, 4).flatMap(n -> recording.follow(TAG, null).take(5000)
                        .map(Events::text).collectList(), 4).distinct().collectList().map(lists -> {
                            assertThat(lists).hasSize(1);
                            return lists.getFirst();
                        }).cache();
                all.subscribe();
                for (int i = 1; i < 5000; i += 41) {
                    recorder.record(TAG, Flux.fromIterable(messages(i, Math.min(5000, i + 41)))).blockLast(SOON);
                }
                assertThat(all.block(SOON)).isEqualTo(messages(0, 5000).stream().map(Events::text).toList());
            }
        } finally {
            one.dispose();
        }
    }

    @Test
    void shouldGoOnWithTheNextRecorder() {
        Events.record(directory, PROMPT, messages(0, 3));
        try (NetioRecording recording = NetioRecording.open(directory)) {
            StepVerifier.create(recording.follow(TAG, null).map(Events::text))
                    .expectNextCount(3)
                    .then(() -> Events.record(directory, PROMPT, messages(3, 5)))
                    .expectNext("1:3=m3", "1:4=m4")
                    .then(() -> Events.record(directory, PROMPT, List.of(message(2, 0))))
                    .expectNext("1:4>2", "2:0=m0")
                    .then(recording::close)
                    .expectErrorSatisfies(error ->
                            assertThat(((NetioRecordingException) error).reason()).isEqualTo(Reason.CLOSED))
                    .verify(SOON);
        }
    }

    @Test
    void shouldWaitBehindAPositionThatIsStillToCome() {
        Events.record(directory, PROMPT, messages(0, 3));
        Scheduler one = Schedulers.newSingle("one-reader");
        try (NetioRecording recording = NetioRecording.open(directory, one, Duration.ofMillis(1))) {
            assertThat(texts(recording.read(TAG, new Position(1, 10)))).isEmpty();
            StepVerifier.create(recording.follow(TAG, new Position(1, 10)).map(Events::text))
                    .expectSubscription()
                    .then(() -> Events.record(directory, PROMPT, messages(3, 13)))
                    .expectNext("1:11=m11", "1:12=m12")
                    .thenCancel().verify(SOON);
            StepVerifier.create(recording.read(TAG, RecordingPosition.end(), true).map(event -> Events.text(event.event())))
                    .expectSubscription().expectNoEvent(Duration.ofMillis(50))
                    .then(() -> Mono.fromRunnable(() -> { }).subscribeOn(one).block(SOON)) // it has been at the end by now
                    .then(() -> Events.record(directory, PROMPT, messages(14, 15)))
                    .expectNext("1:13-13", "1:14=m14")
                    .thenCancel().verify(SOON);
        } finally {
            one.dispose();
        }
    }

    @Test
    void shouldCancelAndSubscribeAgainAndCloseInCallbacks() {
        Events.record(directory, PROMPT, messages(0, 1000));
        try (NetioRecording recording = NetioRecording.open(directory)) {
            for (int i = 0; i < 50; i++) {
                assertThat(recording.follow(TAG, new Position(1, i)).blockFirst(SOON)).isEqualTo(message(1, i + 1));
            }
            Flux.interval(Duration.ofMillis(10)).filter(n -> recording.statistics().readers() == 0).blockFirst(SOON);
            List<Disposable> many = new ArrayList<>();
            for (int i = 0; i < 4000; i++) {
                many.add(recording.follow(TAG, new Position(1, 999)).subscribe());
            }
            assertThat(recording.statistics().readers()).isEqualTo(4000);
            many.forEach(Disposable::dispose);
            Flux.interval(Duration.ofMillis(10)).filter(n -> recording.statistics().readers() == 0).blockFirst(SOON);
            AtomicReference<Throwable> end = new AtomicReference<>();
            Runnable close = recording::close;
            recording.follow(TAG, null).doOnError(end::set).doOnNext(event -> close.run()).onErrorComplete().blockLast(SOON);
            assertThat(end.get()).isInstanceOf(NetioRecordingException.class);
        }
    }

    @Test
    void shouldRefuseABadRequest() {
        Events.record(directory, PROMPT, messages(0, 10));
        try (NetioRecording recording = NetioRecording.open(directory)) {
            AtomicReference<Throwable> end = new AtomicReference<>();
            recording.read(TAG, RecordingPosition.beginning(), false).subscribe(new reactor.core.CoreSubscriber<>() {
                @Override
                public void onSubscribe(Subscription s) {
                    s.request(-1);
                }

                @Override
                public void onNext(RecordedEvent event) {
                    throw new AssertionError(event);
                }

                @Override
                public void onError(Throwable error) {
                    end.set(error);
                }

                @Override
                public void onComplete() {
                    throw new AssertionError();
                }
            });
            Flux.interval(Duration.ofMillis(5)).filter(n -> end.get() != null).blockFirst(SOON);
            assertThat(end.get()).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("3.9");
        }
    }

    /** A reader that was not cancelled when its Scheduler went hears of it. */
    @Test
    void shouldSayThatTheSchedulerIsGone() throws InterruptedException {
        Events.record(directory, PROMPT, messages(0, 10));
        Scheduler one = Schedulers.newSingle("one-reader");
        try (NetioRecording recording = NetioRecording.open(directory, one, Duration.ofMillis(1))) {
            BaseSubscriber<SequencedEvent> reader = new BaseSubscriber<>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    subscription.request(1);
                }
            };
            AtomicReference<Throwable> end = new AtomicReference<>();
            CountDownLatch first = new CountDownLatch(1);
            recording.read(TAG, (Position) null).doOnNext(event -> first.countDown()).doOnError(end::set).onErrorComplete()
                    .subscribe(reader);
            assertThat(first.await(60, TimeUnit.SECONDS)).isTrue();
            one.disposeGracefully().block(SOON);
            reader.request(1);
            // the recording's beat may have found it just before, and be about to tell the reader
            Flux.interval(Duration.ofMillis(5)).filter(n -> end.get() != null).blockFirst(SOON);
            assertThat(end.get()).isInstanceOf(NetioRecordingException.class);
        }
    }

    /** The same over a pair in memory, whose connection breaks. */
    @Test
    void shouldServeOverAPair() {
        Tags range = Tags.range(1, 9);
        Events.record(directory, PROMPT, List.of(message(range, 1, 0, "a"), message(range, 1, 1, "b")));
        try (NetioRecording recording = NetioRecording.open(directory); NetioTestPair pair = NetioTestPair.loopback()) {
            NetioRecordingServer service = NetioRecordingServer.create(recording);
            service.serve(pair.server());
            assertThat(service.readers()).isZero();
            StepVerifier.create(pair.client().requester(RecordingProtocol.CONTROL).request(RecordingProtocol.list(0))
                            .map(RecordingProtocol::part))
                    .assertNext(part -> assertThat(part.streams()).hasSize(1)).verifyComplete();
            StepVerifier.create(pair.client().requester(RecordingProtocol.CONTROL).request(java.nio.ByteBuffer.allocate(3)))
                    .verifyError(); // no protocol of ours
        }
    }
}
