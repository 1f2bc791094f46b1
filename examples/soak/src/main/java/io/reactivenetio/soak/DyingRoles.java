// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/** The two sides of which {@link Deaths} kills one. */
final class DyingRoles {
    /** The tag that all subscribers share. */
    static final Tags SHARED = Tags.of(7);
    /** The tag that each subscriber has a source of its own for. */
    static final Tags OWN = Tags.of(8);
    private static final int QUEUE = 1_024;
    private static final int PER_TICK = 20;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private DyingRoles() {
    }

    /** Makes a source of 20,000 messages a second, which say their numbers. */
    static Flux<ByteBuffer> numbers() {
        return Flux.interval(Duration.ofMillis(1)).onBackpressureDrop().concatMap(tick -> Flux.range(0, PER_TICK)).index()
                .map(numbered -> ByteBuffer.allocate(Long.BYTES).putLong(numbered.getT1()).flip());
    }

    static NetioPublisher publisher() {
        return NetioPublisher.create(SlowPolicy.DROP_OLDEST, QUEUE).publish(SHARED.first(), numbers());
    }

    static NetioServer server(BackendType backend, int port) {
        return NetioServer.create().host("127.0.0.1").port(port).backend(backend);
    }

    /** Makes one that comes back as soon as a readout needs it. */
    static NetioSubscriber subscriber(NetioClient client) {
        return NetioSubscriber.create(client)
                .reconnect(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(100)).maxBackoff(Duration.ofMillis(500)));
    }

    /** Plays the publisher: {@code BACKEND PORT}. It says which port it has, and publishes until it is killed. */
    static void publish(WorkerLines lines, List<String> arguments) throws InterruptedException {
        DisposableServer server = publisher()
                .serve(server(BackendType.valueOf(arguments.get(0)), Integer.parseInt(arguments.get(1)))).bindNow();
        lines.say("ready", "port", server.port());
        lines.await("stop");
    }

    /**
     * Plays the subscriber: {@code BACKEND PORT}. It says {@code first} when messages of both tags have come, and answers each
     * {@code count} when more have come.
     */
    static void subscribe(WorkerLines lines, List<String> arguments) throws InterruptedException {
        NetioSubscriber subscriber = subscriber(NetioClient.create().host("127.0.0.1").port(Integer.parseInt(arguments.get(1)))
                .backend(BackendType.valueOf(arguments.get(0))));
        long start = System.nanoTime();
        Flux<SequencedMessage> own = subscriber.whenSlow(SlowPolicy.BACKPRESSURE).subscribe(OWN.first())
                .map(message -> new SequencedMessage(OWN, 0, message.payload().getLong(), message));
        List<Reading> readings = List.of(new Reading(subscriber.subscribeSequenced(SHARED)), new Reading(own));
        for (Reading reading : readings) {
            reading.await(1, 0, LIMIT);
        }
        lines.say("first", "millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        while (lines.next() != null) {
            boolean all = true;
            for (Reading reading : readings) {
                boolean goesOn = reading.await(1, reading.arrived(), LIMIT);
                all &= goesOn && reading.holds();
            }
            lines.say("count", "holds", all, "arrived", readings.stream().mapToLong(Reading::arrived).sum(),
                    "missing", readings.stream().mapToLong(Reading::missing).sum(), "text",
                    readings.getFirst().text() + "; of its own: " + readings.getLast().text());
        }
    }
}
