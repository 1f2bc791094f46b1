// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Tags;
import io.reactivenetio.examples.conformance.Line;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** The two sides of {@link Many}: a server of many connections and tags, and some of its clients. */
final class ManyRoles {
    /** Bytes of the buffers of one connection on either side. */
    static final int OWN_BYTES = 8 * 4_096;
    private static final int BUFFER_BYTES = 4_096;
    private static final int BUFFERS = 4;
    private static final int MOST_CONNECTIONS = 20_000;
    private static final int BUSY_ONE_IN = 100;
    private static final Duration TICK = Duration.ofMillis(10);

    private ManyRoles() {
    }

    /** Plays the server: {@code BACKEND PORT TAGS}. One tag in a hundred is busy between {@code busy} and {@code idle}. */
    static void serve(WorkerLines lines, List<String> arguments) throws InterruptedException {
        Sinks.Many<Boolean> busy = Sinks.many().replay().latestOrDefault(false);
        Flux<Long> ticks = Flux.interval(TICK).onBackpressureDrop().share();
        NetioPublisher publisher = NetioPublisher.create().publishEach(
                Tags.range(0, Long.parseLong(arguments.get(2)) - 1), tag -> tag % BUSY_ONE_IN == 0
                        ? busy.asFlux().switchMap(on -> on ? ticks : Flux.never()).onBackpressureDrop().index()
                                .map(numbered -> ByteBuffer.allocate(Long.BYTES).putLong(numbered.getT1()).flip())
                        : Flux.never());
        NetioLoops loops = NetioLoops.create("soak-many", 1);
        DisposableServer server = publisher.serve(NetioServer.create().host("127.0.0.1")
                .port(Integer.parseInt(arguments.get(1))).backend(BackendType.valueOf(arguments.get(0)))
                .runOn(loops).receiveBuffers(BUFFER_BYTES, BUFFERS).sendBuffers(BUFFER_BYTES, BUFFERS)
                .maxConnections(MOST_CONNECTIONS))
                .bindNow();
        lines.say("ready", "port", server.port());
        Line command;
        while ((command = lines.next()) != null) {
            switch (command.head()) {
                case "busy" -> busy.tryEmitNext(true);
                case "idle" -> busy.tryEmitNext(false);
                default -> lines.say("count", "connections", server.connections(), "tags",
                        publisher.statistics().subscribers());
            }
        }
    }

    /** Plays clients, which open and close all their connections together: {@code BACKEND PORT FIRST CONNECTIONS TAGS_EACH}. */
    static void read(WorkerLines lines, List<String> arguments) throws InterruptedException {
        NetioLoops loops = NetioLoops.create("soak-many", 1);
        NetioClient client = NetioClient.create().host("127.0.0.1").port(Integer.parseInt(arguments.get(1)))
                .backend(BackendType.valueOf(arguments.get(0))).runOn(loops)
                .receiveBuffers(BUFFER_BYTES, BUFFERS).sendBuffers(BUFFER_BYTES, BUFFERS);
        int first = Integer.parseInt(arguments.get(2));
        int connections = Integer.parseInt(arguments.get(3));
        int tagsEach = Integer.parseInt(arguments.get(4));
        LongAdder messages = new LongAdder();
        Faults faults = new Faults();
        Disposable.Composite all = Disposables.composite();
        List<NetioSubscriber> subscribers = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            subscribers.add(NetioSubscriber.create(client)
                    .reconnect(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(100)).maxBackoff(Duration.ofMillis(500))));
        }
        lines.say("ready");
        Line command;
        while ((command = lines.next()) != null) {
            switch (command.head()) {
                case "open" -> {
                    for (int i = 0; i < connections; i++) {
                        long tag = (long) (first + i) * tagsEach;
                        all.add(subscribe(subscribers.get(i), new long[] {tag}, messages, faults));
                    }
                }
                case "more" -> {
                    for (int i = 0; i < connections; i++) {
                        long tag = (long) (first + i) * tagsEach;
                        all.add(subscribe(subscribers.get(i), LongStream.range(tag + 1, tag + tagsEach).toArray(), messages,
                                faults));
                    }
                }
                case "close" -> {
                    all.dispose();
                    lines.say("closed");
                }
                default -> lines.say("count", "messages", messages, "faults", faults.count(), "text", faults);
            }
        }
    }

    /** Subscribes, and checks that each tag's messages are numbered from 0, or from 0 again after the server's death. */
    private static Disposable subscribe(NetioSubscriber subscriber, long[] tags, LongAdder messages, Faults faults) {
        long[] next = new long[1];
        return subscriber.subscribe(ByteBuffer::getLong, tags).subscribe(number -> {
            messages.increment();
            if (number != next[0] && number != 0) {
                faults.add("tag " + tags[0] + ": " + number + " came where " + next[0] + " was next");
            }
            next[0] = number + 1;
        }, failure -> faults.add("tag " + tags[0] + " failed: " + failure), () -> faults.add("tag " + tags[0] + " ended"));
    }
}
