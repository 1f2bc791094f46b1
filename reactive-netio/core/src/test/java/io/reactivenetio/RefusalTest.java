// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.connection.StreamUnderTest;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What cannot be had is refused after the subscription (§1.9), and in a way that nobody who tries again holds up the loop. */
@Timeout(60)
class RefusalTest {
    private static final int TAG = 7;
    private static final int TRIES = 100_000;
    /** Far more than are made in the turns that a test waits for. */
    private static final int FEW = 10_000;

    /** Writes down what it is told, as the specification names it. */
    private static final class Listener<T> implements Subscriber<T> {
        final List<String> signals = new ArrayList<>();

        @Override
        public void onSubscribe(Subscription s) {
            signals.add("onSubscribe");
            s.request(1);
            signals.add("requested");
        }

        @Override
        public void onNext(T element) {
            signals.add("onNext");
        }

        @Override
        public void onError(Throwable error) {
            signals.add("onError");
        }

        @Override
        public void onComplete() {
            signals.add("onComplete");
        }
    }

    private static Map<String, Publisher<?>> receiving(NetioInbound from) {
        Map<String, Publisher<?>> all = new LinkedHashMap<>();
        all.put("receive", from.receive());
        all.put("receive(decoder)", from.receive(ByteBuffer::remaining));
        all.put("receiveTagged", from.receiveTagged());
        all.put("receiveTagged(decoder)", from.receiveTagged((tag, status, buffer) -> tag));
        all.put("receiveLeased", from.receiveLeased());
        all.put("receiveLeased(chain)", from.receiveLeased(leases -> leases.map(lease -> 1)));
        return all;
    }

    private static Map<String, Publisher<?>> sending(NetioOutbound to) {
        Map<String, Publisher<?>> all = new LinkedHashMap<>();
        all.put("send", to.send(Flux.just(ByteBuffer.allocate(1))));
        all.put("send nothing", to.completion(SendCompletion.TRANSMITTED).send(Flux.empty()));
        all.put("sendTagged", to.sendTagged(Flux.just(TaggedMessage.of(1, ByteBuffer.allocate(1)))));
        all.put("sendRegion", to.sendRegion(Flux.empty()));
        all.put("completeOutbound", to.completeOutbound());
        return all;
    }

    private static void assertRefused(StreamUnderTest world, Map<String, Publisher<?>> publishers) {
        publishers.forEach((name, publisher) -> {
            Listener<Object> listener = new Listener<>();
            publisher.subscribe(listener);
            world.turn();
            assertThat(listener.signals).as(name).containsExactly("onSubscribe", "requested", "onError");
        });
        assertThat(world.failures).isEmpty();
    }

    @Test
    void shouldTellASubscriberThatThereAreTooManyStreamsAfterItsSubscription() {
        try (StreamUnderTest world = new StreamUnderTest(4, 0)) {
            assertRefused(world, receiving(SimulatedConnections.of(world.engine()).stream(TAG)));
            CompletableFuture<Long> limited = SimulatedConnections.of(world.engine()).stream(TAG).receive().limitRate(4)
                    .count().toFuture();
            world.turn();
            assertThat(limited).isCompletedExceptionally();
            assertThat(limited.exceptionNow()).isInstanceOf(NetioStreamException.class);
        }
    }

    @Test
    void shouldTellASubscriberThatTheConnectionIsGoneAfterItsSubscription() {
        try (StreamUnderTest world = new StreamUnderTest(4, 100)) {
            NetioConnection connection = SimulatedConnections.of(world.engine());
            world.end();
            for (NetioInbound inbound : List.of(connection.stream(TAG), connection)) {
                receiving(inbound).forEach((name, publisher) ->
                        assertRefused(world, Map.of(name, publisher))); // of the connection, there can be one and no second
            }
            assertRefused(world, sending(connection));
            assertRefused(world, sending(connection.stream(TAG)));
            assertRefused(world, Map.of("request", connection.requester(TAG).request(ByteBuffer.allocate(1))));
        }
    }

    @Test
    void shouldForgetASubscriberThatCancelsWithItsSubscription() {
        try (StreamUnderTest world = new StreamUnderTest(4, 100)) {
            receiving(SimulatedConnections.of(world.engine()).stream(TAG)).values().forEach(publisher ->
                    Flux.from(publisher).doOnSubscribe(Subscription::cancel).subscribe());
            world.turn();
            assertThat(world.sent()).isEmpty();
        }
    }

    /** They try again for ever, one after the other; each time others have their turn in between. */
    private static void assertTheLoopGoesOn(StreamUnderTest world, Map<String, Publisher<?>> refused) {
        refused.forEach((name, publisher) -> {
            AtomicInteger tries = new AtomicInteger();
            CompletableFuture<Void> other = new CompletableFuture<>();
            Disposable trying = Flux.defer(() -> {
                tries.incrementAndGet();
                return publisher;
            }).retry(TRIES).subscribe(element -> { }, error -> { });
            world.loop().execute(() -> other.complete(null));
            world.turn();
            assertThat(tries.get()).as(name).isBetween(2, FEW);
            assertThat(other).as(name).isDone();
            trying.dispose();
            world.turn();
        });
        assertThat(world.failures).isEmpty();
    }

    @Test
    void shouldGoOnBesideThoseThatAreRefusedAndTryAgainForEver() {
        try (StreamUnderTest world = new StreamUnderTest(4, 0)) {
            NetioConnection connection = SimulatedConnections.of(world.engine());
            assertTheLoopGoesOn(world, receiving(connection.stream(TAG)));
            connection.receive().subscribe();
            assertTheLoopGoesOn(world, receiving(connection));
            world.receive(0, 0, page -> page.cancel(0));
            assertTheLoopGoesOn(world, Map.of("send", connection.send(Flux.just(ByteBuffer.allocate(1)))));
            connection.requester(TAG);
            assertTheLoopGoesOn(world, Map.of("respond", connection.respond(TAG, request -> Mono.empty())));
            world.end();
            assertTheLoopGoesOn(world, receiving(connection.stream(TAG)));
            Map<String, Publisher<?>> sending = sending(connection);
            sending.remove("sendRegion"); // an error that is there at once, as of Mono.error
            assertTheLoopGoesOn(world, sending);
        }
    }

    /** That a connection ends is told within a callback, where a retry would never come to an end. */
    @Test
    void shouldEndAConnectionWithASendThatIsTriedAgainForEver() {
        try (StreamUnderTest world = new StreamUnderTest(4, 100)) {
            NetioConnection connection = SimulatedConnections.of(world.engine());
            AtomicInteger tries = new AtomicInteger();
            Disposable trying = connection.send(Flux.defer(() -> {
                tries.incrementAndGet();
                return Flux.never();
            })).retry(TRIES).subscribe(nothing -> { }, error -> assertThat(error).isInstanceOf(NetioAbortedException.class));
            world.end();
            assertThat(tries.get()).isBetween(2, FEW);
            trying.dispose();
        }
    }
}
