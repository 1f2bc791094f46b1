// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** What the Java end publishes: one publisher, and for each command a source that emits what further commands say. */
final class JavaPublishing {
    private static final int QUEUE = 256;

    private final Consumer<Line> events;
    private final Map<Tags, Sinks.Many<Flux<TaggedMessage>>> sources = new HashMap<>();
    private String policy = "";
    private int queue;
    private volatile @Nullable NetioPublisher publisher;

    JavaPublishing(Consumer<Line> events) {
        this.events = events;
    }

    /** The publisher that connections have to be served by; with other settings than before it is refused. */
    NetioPublisher publish(Line command) {
        String wished = command.get("policy", "wait");
        int wait = command.number("queue", QUEUE);
        NetioPublisher serving = publisher;
        if (serving == null) {
            SlowPolicy set = EndSettings.policy(wished);
            serving = NetioPublisher.create(set == null ? SlowPolicy.BACKPRESSURE : set, wait);
            publisher = serving;
            policy = wished;
            queue = wait;
        } else if (!policy.equals(wished) || queue != wait) {
            throw new UnsupportedOperationException("another policy or queue");
        }
        Tags tags = EndSettings.tags(command.get("tags"));
        Sinks.Many<Flux<TaggedMessage>> source = Sinks.many().unicast().onBackpressureBuffer();
        serving.publish(tags, source.asFlux().concatMap(Function.identity(), 1));
        sources.put(tags, source);
        return serving;
    }

    void serve(NetioConnection connection) {
        NetioPublisher serving = publisher;
        if (serving != null) {
            serving.serve(connection);
        }
    }

    int subscribers() {
        NetioPublisher serving = publisher;
        return serving == null ? 0 : serving.statistics().subscribers();
    }

    void emit(Line command) {
        Tags tags = EndSettings.tags(command.get("tags"));
        long number = tags.isOne() ? 1 : tags.second() - tags.first() + 1;
        int size = command.number("size");
        int status = command.number("status", 0);
        int count = command.number("count");
        source(tags.first()).tryEmitNext(Flux.range(0, count)
                .map(n -> new TaggedMessage(tags.first() + n % number, status, Digest.payload(n, size)))
                .doOnComplete(() -> events.accept(Line.of("event emitted").with("tags", command.get("tags"))
                        .with("count", count)))).orThrow();
    }

    private Sinks.Many<Flux<TaggedMessage>> source(long tag) {
        return sources.entrySet().stream().filter(each -> each.getKey().contains(tag)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not published: " + tag)).getValue();
    }

    void unpublish(Line command) {
        Tags tags = EndSettings.tags(command.get("tags"));
        Sinks.Many<Flux<TaggedMessage>> source = source(tags.first());
        if (command.number("code", 0) == 0) {
            source.tryEmitComplete().orThrow();
        } else {
            source.tryEmitNext(Flux.error(new ToldToFailException())).orThrow();
        }
        sources.remove(tags);
    }

    void dispose() {
        NetioPublisher serving = publisher;
        if (serving != null) {
            serving.dispose();
        }
    }
}
