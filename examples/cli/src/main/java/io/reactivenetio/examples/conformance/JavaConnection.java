// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A connection of the Java end, and what it sends and receives. Commands come on one thread. */
final class JavaConnection {
    /** When a responder with the mode {@code late} answers, although it was cancelled. */
    private static final Duration LATE = Duration.ofMillis(300);

    private final int number;
    private final NetioConnection connection;
    private final @Nullable NetioClient client;
    private final boolean raw;
    private final Consumer<Line> events;
    private final Sinks.Many<Mono<Void>> jobs = Sinks.many().unicast().onBackpressureBuffer();
    private final Map<String, NetioSubscriber> subscribers = new HashMap<>();
    private final Map<Tags, ReceivedStream> subscribed = new ConcurrentHashMap<>();
    private final List<ReceivedStream> streams = new ArrayList<>();

    /** {@code client} has made it; null if it was accepted. */
    JavaConnection(int number, NetioConnection connection, @Nullable NetioClient client, boolean raw, Consumer<Line> events) {
        this.number = number;
        this.connection = connection;
        this.client = client;
        this.raw = raw;
        this.events = events;
        jobs.asFlux().concatMap(Function.identity()).subscribe();
    }

    NetioConnection connection() {
        return connection;
    }

    boolean isAccepted() {
        return client == null;
    }

    void send(Line command) {
        int size = command.number("size");
        int status = command.number("status", 0);
        long tag = EndSettings.tag(command.get("tag", "0"));
        AtomicInteger sent = new AtomicInteger();
        Flux<TaggedMessage> messages = Flux.range(0, command.number("count"))
                .map(n -> new TaggedMessage(tag, status, Digest.payload(n, size))).doOnNext(message -> sent.incrementAndGet());
        Mono<Void> sending = raw ? connection.send(messages.map(TaggedMessage::payload)) : connection.sendTagged(messages);
        job(sending.doOnSuccess(nothing -> sent(sent, 0))
                .doOnError(failure -> sent(sent, connection.isDisposed() ? "lost" : 1)));
    }

    private void sent(AtomicInteger count, Object code) {
        events.accept(Line.of("event sent").with("c", number).with("count", count).with("code", code));
    }

    /** COMPLETE, behind what is to be sent. */
    void complete() {
        job(connection.completeOutbound());
    }

    private void job(Mono<Void> job) {
        jobs.tryEmitNext(job.onErrorComplete()).orThrow();
    }

    ReceivedStream receive(Line command) {
        ReceivedStream stream = new ReceivedStream(command, events);
        Flux<Boolean> messages = raw ? connection.receive(payload -> stream.add(0, 0, payload))
                : connection.receiveTagged(stream::add);
        messages.subscribe(stream);
        return stream;
    }

    ReceivedStream subscribe(Line command) {
        ReceivedStream stream = new ReceivedStream(command, events);
        String policy = command.get("policy", "default");
        Tags tags = EndSettings.tags(command.get("tags"));
        if (client != null) {
            subscribed.put(tags, stream);
            subscribers.computeIfAbsent(policy, wished -> subscriber(client, EndSettings.policy(wished)))
                    .subscribe(stream::add, tags).subscribe(stream);
        } else if (tags.isOne() && policy.equals("default")) {
            connection.stream(tags.first()).receiveTagged(stream::add).subscribe(stream);
        } else {
            throw new UnsupportedOperationException("an accepted connection subscribes to one tag, with the publisher's policy");
        }
        streams.add(stream);
        return stream;
    }

    /** Has a connection of its own, made with the same settings, as every NetioSubscriber. */
    private NetioSubscriber subscriber(NetioClient same, @Nullable SlowPolicy policy) {
        NetioSubscriber subscriber = NetioSubscriber.create(same).doOnMissed(Duration.ZERO, missed -> {
            ReceivedStream stream = subscribed.get(missed.tags());
            if (stream != null) {
                stream.dropped(missed.dropped());
            }
        });
        return policy == null ? subscriber : subscriber.whenSlow(policy);
    }

    void respond(Line command) {
        String mode = command.get("mode");
        if (!List.of("echo", "empty", "fail", "late", "never").contains(mode)) {
            throw new UnsupportedOperationException("mode");
        }
        connection.respond(EndSettings.tag(command.get("tag")), command.number("concurrency", 1), request -> switch (mode) {
            case "echo" -> Mono.just(request);
            case "empty" -> Mono.empty();
            case "fail" -> Mono.error(new ToldToFailException());
            case "late" -> Mono.fromFuture(Mono.delay(LATE).then(Mono.<ByteBuffer>empty()).toFuture(), true);
            default -> Mono.never();
        }).onErrorComplete().subscribe();
    }

    JavaRequests request(Line command) {
        JavaRequests requests = new JavaRequests(command, events);
        requests.start(connection.requester(EndSettings.tag(command.get("tag"))));
        return requests;
    }

    void close() {
        connection.dispose();
        List.copyOf(streams).forEach(ReceivedStream::stop);
    }
}
