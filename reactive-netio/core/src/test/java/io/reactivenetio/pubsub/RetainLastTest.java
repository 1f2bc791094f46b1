// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.emit;
import static io.reactivenetio.Numbers.number;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** Tags that are states: who comes late has the last value at once. */
@Timeout(180)
class RetainLastTest {
    private final NetioLoops loops = NetioLoops.create("retain", 2);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
    private final Sinks.Many<TaggedMessage> states = Sinks.many().multicast().directBestEffort();

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioSubscriber subscriber(BackendType backend, NetioPublisher publisher) {
        int port = publisher.serve(NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops)).doOnConnection(connection -> {
                    accepted.add(connection);
                    publisher.serve(connection);
                }).bindNow().port();
        return NetioSubscriber.create(NetioClient.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops).port(port));
    }

    private void set(long tag, long value) {
        states.tryEmitNext(new TaggedMessage(tag, 0, number(value))).orThrow();
    }

    private static void awaitSubscribers(NetioPublisher publisher, int subscribers) {
        Link.await(() -> publisher.statistics().subscribers() == subscribers, () -> publisher.statistics().toString());
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldBeginWithTheLastValueAndGoOn(BackendType backend) {
        Sinks.Many<ByteBuffer> sink = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 16).retainLast(Tags.of(7))
                .publish(7, sink.asFlux());
        NetioSubscriber subscriber = subscriber(backend, publisher);
        List<Long> first = Collections.synchronizedList(new ArrayList<>());
        subscriber.subscribe(7).map(Numbers::number).subscribe(first::add);
        awaitSubscribers(publisher, 1);
        emit(sink, 0, 5);
        Link.await(() -> first.size() == 5, first::toString);
        List<Long> late = Collections.synchronizedList(new ArrayList<>());
        subscriber.subscribe(7).map(Numbers::number).subscribe(late::add);
        Link.await(() -> late.size() == 1, late::toString);
        emit(sink, 5, 7);
        Link.await(() -> late.size() == 3, late::toString);
        assertThat(late).containsExactly(4L, 5L, 6L);
        assertThat(subscriber.statistics().missed()).isZero();
        assertThat(subscriber.statistics().dropped()).isZero();
    }

    /** Of each tag the last one, in the order in which they were published; then what follows, without an alarm. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRetainOneForEachTag(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 16).retainLast(Tags.range(1, 9))
                .publish(Tags.range(1, 9), states.asFlux());
        NetioSubscriber subscriber = subscriber(backend, publisher).reconnect(Retry.fixedDelay(10_000, Duration.ofMillis(1)));
        subscriber.subscribe(9).subscribe();
        awaitSubscribers(publisher, 1);
        for (int value = 0; value < 10; value++) {
            set(1, value);
        }
        set(2, 100);
        set(3, 1_000);
        set(1, 10);
        List<String> late = Collections.synchronizedList(new ArrayList<>());
        subscriber.subscribe(Tags.range(1, 9)).map(message -> message.tag() + "=" + number(message)).subscribe(late::add);
        Link.await(() -> late.size() == 3, late::toString);
        set(3, 1_001);
        Link.await(() -> late.size() == 4, late::toString);
        assertThat(late).containsExactly("2=100", "3=1000", "1=10", "3=1001");
        accepted.forEach(connection -> connection.dispose());
        Link.await(() -> late.size() == 7, late::toString); // whoever connects again may have missed some
        assertThat(late.subList(4, 7)).containsExactly("2=100", "1=10", "3=1001");
        assertThat(subscriber.statistics().missed()).isZero();
    }

    /** What it has had is not told twice. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldNotRepeatASequence(BackendType backend) {
        Sinks.Many<ByteBuffer> sink = Sinks.many().multicast().directBestEffort();
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_OLDEST, 16).retainLast(Tags.of(7))
                .publish(7, sink.asFlux());
        NetioSubscriber subscriber = subscriber(backend, publisher).reconnect(Retry.fixedDelay(10_000, Duration.ofMillis(1)));
        List<SequencedEvent> events = Collections.synchronizedList(new ArrayList<>());
        subscriber.subscribeSequenced(Tags.of(7)).limitRate(2).subscribe(events::add);
        awaitSubscribers(publisher, 1);
        emit(sink, 0, 3);
        Link.await(() -> events.size() == 3, events::toString);
        for (int times = 1; times <= 3; times++) {
            int connections = times;
            Link.await(() -> accepted.size() == connections, accepted::toString);
            NetioConnection old = accepted.getLast();
            old.dispose();
            old.onDispose().block(PATIENCE); // its subscription has left: the other loop may have the new one before that
            Link.await(() -> accepted.size() == connections + 1, accepted::toString);
            awaitSubscribers(publisher, 1);
        }
        emit(sink, 3, 9);
        Link.await(() -> events.size() == 9, events::toString);
        assertThat(events).allSatisfy(event -> assertThat(event).isInstanceOf(SequencedMessage.class));
        assertThat(events.stream().map(event -> ((SequencedMessage) event).sequence()).toList()).isEqualTo(Numbers.upTo(9));
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellTheLastValueOfWhatHasEnded(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.create().retainLast(Tags.of(7)).publish(7, Numbers.numbers(3));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        assertThat(subscriber.subscribe(7).map(Numbers::number).collectList().block(PATIENCE)).containsExactly(0L, 1L, 2L);
        assertThat(subscriber.subscribe(7).map(Numbers::number).collectList().block(PATIENCE)).containsExactly(2L);
        publisher.publish(7, Numbers.numbers(1));
        assertThat(subscriber.subscribe(7).map(Numbers::number).collectList().block(PATIENCE)).containsExactly(0L);
    }

    @Test
    void shouldForgetWhatHasNotChangedForLongest() {
        RetainedMessages retained = new RetainedMessages(Tags.range(1, 100), 3, 40);
        for (long tag : new long[] {1, 2, 3, 1, 4, 200}) {
            retained.add(message(tag, 8));
        }
        assertThat(tags(retained)).containsExactly(3L, 1L, 4L);
        retained.add(message(3, 30));
        assertThat(tags(retained)).containsExactly(4L, 3L);
        retained.add(message(4, 41));
        assertThat(tags(retained)).containsExactly(3L);
        retained.clear(Tags.of(3));
        assertThat(tags(retained)).isEmpty();
    }

    private static SharedMessage message(long tag, int size) {
        return new SharedMessage(tag, 0, ByteBuffer.allocate(size));
    }

    private static List<Long> tags(RetainedMessages retained) {
        return RetainedMessages.of(List.of(retained), Tags.range(0, 1_000), Tags.range(0, 1_000)).stream()
                .map(message -> message.tag()).toList();
    }

    @Test
    void shouldSayWhatItCannotRetain() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Numbers.numbers(1));
        assertThatThrownBy(() -> publisher.retainLast(Tags.range(1, 9))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> publisher.retainLast(Tags.of(8), 0, 1)).isInstanceOf(IllegalArgumentException.class);
        publisher.retainLast(Tags.of(8));
        assertThatThrownBy(() -> publisher.retainLast(Tags.of(8))).isInstanceOf(IllegalArgumentException.class);
    }
}
