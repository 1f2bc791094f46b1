// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class NetioSourceReaderTest {
    private static final long RUN = 0xcafe;
    private static final Tags TAGS = Tags.of(7);

    private final Origin origin = new Origin();
    private final Output output = new Output();
    private final Map<String, Counter> counters = new HashMap<>();
    private final List<SourceEvent> told = new ArrayList<>();
    private NetioSourceReader<Told> reader = reader(GapHandling.TELL, 16, true);

    @AfterEach
    void close() {
        reader.close();
        assertThat(origin.closed).isTrue();
        assertThat(origin.streams.values()).allMatch(stream -> stream.cancelled || stream.over);
    }

    @Test
    void shouldEmitInOrderAndKeepWhatWasEmitted() throws Exception {
        reader.addSplits(List.of(split(1)));
        Stream stream = origin.stream(1);
        stream.emit(message(5), message(6), new Gap(TAGS, RUN, 7, 9), message(10));
        assertThat(reader.snapshotState(1)).containsExactly(split(1)); // nothing was emitted yet

        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.MORE_AVAILABLE);
        assertThat(reader.snapshotState(1)).containsExactly(split(1).at(new Position(RUN, 5)));
        poll(2);
        assertThat(reader.snapshotState(1)).containsExactly(split(1).at(new Position(RUN, 9)));
        poll(1);

        assertThat(output.of(1)).containsExactly(told(5, 5, true), told(6, 6, true), told(7, 9, false), told(10, 10, true));
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(counters.get("gaps").getCount()).isEqualTo(1);
        assertThat(counters.get("missed").getCount()).isEqualTo(3);
        assertThat(counters.get("numRecordsIn").getCount()).isEqualTo(3);
        assertThat(counters.get("numBytesIn").getCount()).isEqualTo(24);
    }

    @Test
    void shouldBeBeforeTheFirstMessageOfARunThatHasBegun() throws Exception {
        reader.addSplits(List.of(split(1).at(new Position(RUN, 4))));
        origin.stream(1).emit(new RunChange(TAGS, new Position(RUN, 4), 3));
        poll(1);
        assertThat(reader.snapshotState(1)).containsExactly(split(1).at(new Position(3, -1)));
        origin.stream(1).emit(new Gap(TAGS, 3, 0, 1));
        poll(1);

        assertThat(reader.snapshotState(1)).containsExactly(split(1).at(new Position(3, 1)));
        assertThat(counters.get("runChanges").getCount()).isEqualTo(1);
        assertThat(output.of(1)).hasSize(2);
    }

    /** What is published between the first checkpoint and the first message is then told as a gap. */
    @Test
    void shouldKeepWhereItBeganBeforeTheFirstMessage() throws Exception {
        reader.addSplits(List.of(split(1)));
        assertThat(reader.snapshotState(1)).containsExactly(split(1)); // the publisher has not answered
        origin.stream(1).onStart.accept(new Position(RUN, 4));
        assertThat(reader.snapshotState(2)).containsExactly(split(1).at(new Position(RUN, 4)));
        origin.stream(1).emit(message(5));
        assertThat(reader.snapshotState(3)).containsExactly(split(1).at(new Position(RUN, 4)));
        poll(1);
        assertThat(reader.snapshotState(4)).containsExactly(split(1).at(new Position(RUN, 5)));
    }

    @Test
    void shouldGoOnFromItsPosition() {
        reader.addSplits(List.of(split(1).at(new Position(RUN, 4))));

        assertThat(origin.stream(1).split.last()).isEqualTo(new Position(RUN, 4));
        assertThat(reader.snapshotState(1)).containsExactly(split(1).at(new Position(RUN, 4)));
    }

    @Test
    void shouldAskForNoMoreThanTheHandOverHolds() throws Exception {
        reader.addSplits(List.of(split(1)));
        Stream stream = origin.stream(1);
        assertThat(stream.requested).isEqualTo(16);
        for (int i = 0; i < 16; i++) {
            stream.emit(message(i));
        }
        poll(3);
        assertThat(stream.requested).isEqualTo(16);
        poll(1);
        assertThat(stream.requested).isEqualTo(20);
        poll(12);

        assertThat(stream.requested).isEqualTo(32);
        assertThat(output.of(1)).hasSize(16);
    }

    @Test
    void shouldTakeTurns() throws Exception {
        reader = replace(GapHandling.TELL, 256);
        reader.addSplits(List.of(split(1), split(2)));
        for (int i = 0; i < 200; i++) {
            origin.stream(1).emit(message(i));
            origin.stream(2).emit(message(i));
        }
        poll(100);

        assertThat(output.of(1)).hasSize(64);
        assertThat(output.of(2)).hasSize(36);
    }

    @Test
    void shouldEndWhenAllSplitsAreComplete() throws Exception {
        reader.addSplits(List.of(split(1), split(2)));
        reader.notifyNoMoreSplits();
        origin.stream(1).emit(message(0));
        origin.stream(1).complete();
        assertThat(reader.isAvailable()).isDone();
        poll(2);
        assertThat(output.of(1)).hasSize(1);
        assertThat(output.released).containsExactly(split(1).splitId());
        assertThat(reader.snapshotState(2)).containsExactly(split(2));
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        CompletableFuture<Void> available = reader.isAvailable();
        assertThat(available).isNotDone();

        origin.stream(2).complete();
        assertThat(available).isDone();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.END_OF_INPUT);
    }

    @Test
    void shouldEndAtOnceWithoutSplits() throws Exception {
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        CompletableFuture<Void> available = reader.isAvailable();
        assertThat(available).isNotDone();
        reader.notifyNoMoreSplits();

        assertThat(available).isDone();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.END_OF_INPUT);
    }

    /** A job in which some readers have ended cannot be restored with one more operator. */
    @Test
    void shouldStayIdleWithoutSplitsUntilAllAreOverWhenTheSourceHasNoEnd() throws Exception {
        reader.close();
        reader = reader(GapHandling.TELL, 16, false);
        reader.notifyNoMoreSplits();
        assertThat(reader.isAvailable()).isDone();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(output.idle).containsExactly("main");
        assertThat(told).containsExactly(WhenAllAreOver.HAS_NONE);
        CompletableFuture<Void> available = reader.isAvailable();
        assertThat(available).isNotDone();

        reader.handleSourceEvents(WhenAllAreOver.END);
        assertThat(available).isDone();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.END_OF_INPUT);
    }

    @Test
    void shouldStayIdleWhenItsOwnSplitsAreComplete() throws Exception {
        reader.close();
        reader = reader(GapHandling.TELL, 16, false);
        reader.addSplits(List.of(split(1)));
        reader.notifyNoMoreSplits();
        origin.stream(1).emit(message(0));
        origin.stream(1).complete();
        poll(1);
        assertThat(told).isEmpty();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(output.idle).containsExactly(split(1).splitId(), "main");
        assertThat(told).containsExactly(WhenAllAreOver.HAS_NONE);
        assertThat(reader.isAvailable()).isNotDone();
    }

    @Test
    void shouldFailBehindTheLastMessageWhenAStreamFails() throws Exception {
        reader.addSplits(List.of(split(1)));
        origin.stream(1).emit(message(0));
        origin.stream(1).fail(new IllegalStateException("no more"));
        poll(1);

        assertThatThrownBy(() -> reader.pollNext(output)).isInstanceOf(IOException.class)
                .hasMessage("reading daq:1/7 failed: no more").hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldFailAtAGapIfWanted() throws Exception {
        reader = replace(GapHandling.FAIL, 16);
        reader.addSplits(List.of(split(1), split(2)));
        origin.stream(1).emit(message(0), new Gap(TAGS, RUN, 1, 4));
        poll(1);

        assertThatThrownBy(() -> reader.pollNext(output)).isInstanceOf(IOException.class).hasMessage("4 messages are missing of"
                + " daq:1/7, from number 1 to 4, and this source is to fail where some are");
        assertThat(reader.snapshotState(1).getFirst().last()).isEqualTo(new Position(RUN, 0));
        assertThat(counters.get("missed").getCount()).isEqualTo(4);
    }

    @Test
    void shouldLeavePausedSplitsAlone() throws Exception {
        reader.addSplits(List.of(split(1), split(2)));
        reader.pauseOrResumeSplits(List.of(split(1).splitId()), List.of());
        origin.stream(1).emit(message(0));
        origin.stream(1).complete();
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        CompletableFuture<Void> available = reader.isAvailable();
        assertThat(available).isNotDone();
        origin.stream(1).emit();
        assertThat(output.of(1)).isEmpty();

        reader.pauseOrResumeSplits(List.of(), List.of(split(1).splitId()));
        assertThat(available).isDone();
        poll(2);
        assertThat(output.of(1)).hasSize(1);
    }

    @Test
    void shouldLeaveOutWhatIsNotConfiguredAnyMore() {
        reader.addSplits(List.of(split(1), split(99)));

        assertThat(origin.streams).containsOnlyKeys("daq:1/7");
        assertThat(reader.snapshotState(1)).containsExactly(split(1));
    }

    @Test
    void shouldCancelWhatSubscribesTooLate() {
        SplitFeed feed = new SplitFeed(16, () -> { });
        feed.cancel();
        Stream stream = new Stream(split(1), nothing -> { });
        stream.subscribe(feed);

        assertThat(stream.cancelled).isTrue();
        assertThat(stream.requested).isZero();
    }

    @Test
    void shouldNeverMissAWakeUp() throws Exception {
        reader = replace(GapHandling.TELL, 4);
        reader.addSplits(List.of(split(1)));
        Thread loop = Thread.ofPlatform().start(() -> Flux.range(0, 300_000).map(n -> OriginEvent.live(message(n)))
                .subscribe(origin.stream(1).subscriber()));
        reader.notifyNoMoreSplits();
        InputStatus status = InputStatus.MORE_AVAILABLE;
        while (status != InputStatus.END_OF_INPUT) {
            status = reader.pollNext(output);
            if (status == InputStatus.NOTHING_AVAILABLE) {
                reader.isAvailable().get(60, TimeUnit.SECONDS);
            }
        }
        loop.join();

        assertThat(output.of(1)).hasSize(300_000);
        origin.stream(1).over = true;
    }

    @Test
    void shouldReadThousandsOfSplits() throws Exception {
        List<NetioSplit> many = IntStream.range(0, 4_000)
                .mapToObj(i -> new NetioSplit(new NetioEndpoint("daq", 1), 10 + i, 10 + i, null)).toList();
        reader = new NetioSourceReader<>(new ReaderContext(counters, told), origin, new Told.Schema(), new NetioSourceOptions(
                List.of(new NetioEndpoint("daq", 1)),
                many.stream().map(split -> new NetioSourceOptions.TagRange(split.firstTag(), split.lastTag())).toList(),
                false, GapHandling.TELL, 16), false);
        reader.addSplits(many);
        origin.streams.values().forEach(stream -> stream.emit(message(0)));
        poll(4_000);

        assertThat(output.records.values().stream().mapToInt(List::size).sum()).isEqualTo(4_000);
        assertThat(reader.pollNext(output)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
    }

    private void poll(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertThat(reader.pollNext(output)).isEqualTo(InputStatus.MORE_AVAILABLE);
        }
    }

    private NetioSourceReader<Told> replace(GapHandling onGap, int handOver) {
        reader.close();
        origin.closed = false;
        return reader(onGap, handOver, true);
    }

    private NetioSourceReader<Told> reader(GapHandling onGap, int handOver, boolean bounded) {
        return new NetioSourceReader<>(new ReaderContext(counters, told), origin, new Told.Schema(), new NetioSourceOptions(
                List.of(new NetioEndpoint("daq", 1), new NetioEndpoint("daq", 2)),
                List.of(new NetioSourceOptions.TagRange(7, 7)), false, onGap, handOver), bounded);
    }

    private static NetioSplit split(int port) {
        return new NetioSplit(new NetioEndpoint("daq", port), 7, 7, null);
    }

    private static SequencedMessage message(long sequence) {
        return new SequencedMessage(TAGS, RUN, sequence, TaggedMessage.of(7, ByteBuffer.allocate(8)));
    }

    private static Told told(long from, long to, boolean arrived) {
        return new Told("daq:1", RUN, from, to, arrived, 0);
    }

    /** The events of one split, as the test signals them. */
    private static final class Stream implements Publisher<OriginEvent>, Subscription {
        private final NetioSplit split;
        private final Consumer<Position> onStart;
        private CoreSubscriber<? super OriginEvent> to;
        private long requested;
        private volatile boolean cancelled;
        private boolean over;

        Stream(NetioSplit split, Consumer<Position> onStart) {
            this.split = split;
            this.onStart = onStart;
        }

        @Override
        public void subscribe(org.reactivestreams.Subscriber<? super OriginEvent> subscriber) {
            to = (CoreSubscriber<? super OriginEvent>) subscriber;
            to.onSubscribe(this);
        }

        CoreSubscriber<? super OriginEvent> subscriber() {
            requested = 0;
            return to;
        }

        void emit(SequencedEvent... events) {
            List.of(events).forEach(event -> to.onNext(OriginEvent.live(event)));
        }

        void complete() {
            over = true;
            to.onComplete();
        }

        void fail(Throwable failure) {
            over = true;
            to.onError(failure);
        }

        @Override
        public void request(long n) {
            requested += n;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    private static final class Origin implements EventOrigin {
        private final Map<String, Stream> streams = new HashMap<>();
        private boolean closed;

        Stream stream(int port) {
            return streams.get(split(port).splitId());
        }

        @Override
        public Publisher<OriginEvent> events(NetioSplit split, Consumer<Position> onStart) {
            return streams.computeIfAbsent(split.splitId(), id -> new Stream(split, onStart));
        }

        @Override
        public long reconnects() {
            return 0;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static class Output implements ReaderOutput<Told> {
        private final Map<String, List<Told>> records = new HashMap<>();
        private final List<String> released = new ArrayList<>();
        private final List<String> idle;
        private final String name;

        Output() {
            this("main", new ArrayList<>());
        }

        private Output(String name, List<String> idle) {
            this.name = name;
            this.idle = idle;
        }

        List<Told> of(int port) {
            return records.getOrDefault(split(port).splitId(), List.of());
        }

        @Override
        public SourceOutput<Told> createOutputForSplit(String id) {
            List<Told> to = records.computeIfAbsent(id, none -> new ArrayList<>());
            return new Output(id, idle) {
                @Override
                public void collect(Told told, long timestamp) {
                    assertThat(timestamp).isEqualTo(OriginEvent.NO_TIME);
                    to.add(told);
                }
            };
        }

        @Override
        public void releaseOutputForSplit(String id) {
            released.add(id);
        }

        @Override
        public void collect(Told told) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void collect(Told told, long timestamp) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void markIdle() {
            idle.add(name);
        }

        @Override
        public void markActive() {
            throw new UnsupportedOperationException();
        }
    }
}
