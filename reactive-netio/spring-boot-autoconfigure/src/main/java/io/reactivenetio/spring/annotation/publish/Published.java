// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.publish;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.Thrown;
import io.reactivenetio.spring.annotation.NetioPublish;
import io.reactivenetio.spring.annotation.NetioTag;
import io.reactivenetio.spring.annotation.method.AnnotatedMethods;
import io.reactivenetio.spring.annotation.method.BeanMethod;
import io.reactivenetio.spring.annotation.method.Results;
import io.reactivenetio.spring.annotation.method.Texts;
import io.reactivenetio.spring.annotation.method.ValueEncoder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Has the publisher serve the methods that are annotated with {@link NetioPublish}. */
public final class Published implements AnnotatedMethods.Use<NetioPublish> {
    private final Texts texts;
    private final NetioCodecs codecs;
    private final Supplier<@Nullable NetioPublisher> publisher;

    /** {@code publisher}: the one that the server serves; null if there is no server. It is asked for if there is a method. */
    public Published(Texts texts, NetioCodecs codecs, Supplier<@Nullable NetioPublisher> publisher) {
        this.texts = texts;
        this.codecs = codecs;
        this.publisher = publisher;
    }

    @Override
    public void add(BeanMethod method, NetioPublish annotation) {
        Results results = new Results(method.returned());
        if (!results.isAsynchronous() || results.isEmpty()) {
            throw method.refused("it returns " + method.returned() + ", in which there are no messages",
                    "Return a Flux of ByteBuffer, of TaggedMessage, or of a type that can be encoded");
        }
        List<Tags> tags = texts.tags(method, annotation.tags());
        NetioPublisher served = publisher.get();
        if (served == null) {
            throw method.refused("there is no server that could publish", "Set netio.server.port");
        }
        if (annotation.each() && annotation.retainLast()) {
            throw method.refused("it is called for each subscription, and none of its messages is the last one of all",
                    "Leave retainLast out and begin each Flux with the present value, or leave each out");
        }
        try {
            if (annotation.retainLast() && tags.size() == 1) { // more are refused below
                served.retainLast(tags.getFirst());
            }
            if (annotation.each()) {
                publishEach(method, results, tags, served);
            } else {
                publish(method, results, tags, texts.singleTag(method, annotation.tags()), served);
            }
        } catch (IllegalArgumentException e) {
            throw method.refused("the publisher refuses it", "Give it tags of its own", e);
        }
    }

    private void publish(BeanMethod method, Results results, List<Tags> tags, @Nullable Long single, NetioPublisher served) {
        if (method.method().getParameterCount() > 0) {
            throw method.refused("it takes a parameter, and is called once for all subscriptions",
                    "Take none, or set each = true to have it called for each subscription");
        }
        if (tags.size() > 1) {
            throw method.refused("its Flux is for one tag, range or pattern, and there are " + tags.size(),
                    "Name one range and return a Flux<TaggedMessage>, or set each = true");
        }
        if (results.values().toClass() == TaggedMessage.class) {
            served.publish(tags.getFirst(), Flux.from(call(method, results)).cast(TaggedMessage.class));
        } else if (single != null) {
            NetioEncoder<Object> encoder = ValueEncoder.of(method, results.values(), codecs).encoder();
            Publisher<?> values = call(method, results);
            if (encoder == null) {
                served.publish(single, buffers(values));
            } else {
                served.publish(single, values, encoder);
            }
        } else {
            throw method.refused("its messages have no tags, and are for " + tags.getFirst(),
                    "Return a Flux<TaggedMessage>, name one tag, or set each = true");
        }
    }

    private void publishEach(BeanMethod method, Results results, List<Tags> tags, NetioPublisher served) {
        int parameters = method.method().getParameterCount();
        if (parameters > 1 || parameters == 1 && !method.method().getParameters()[0].isAnnotationPresent(NetioTag.class)) {
            throw method.refused("it takes parameters that nobody has values for", "Take nothing, or one @NetioTag long");
        }
        if (parameters == 1) {
            method.checkType("@NetioTag", method.method().getParameterTypes()[0], long.class, Long.class);
        }
        if (results.values().toClass() == TaggedMessage.class) {
            throw method.refused("it is called for each subscription to a tag, and its messages say tags of their own",
                    "Return a Flux of ByteBuffer or of a type that can be encoded, or leave each out");
        }
        NetioEncoder<Object> encoder = ValueEncoder.of(method, results.values(), codecs).encoder();
        method.resolve(); // a lazy bean is not made on a loop
        LongFunction<Publisher<?>> values = tag -> parameters == 0 ? call(method, results) : call(method, results, tag);
        for (Tags choice : tags) {
            if (encoder == null) {
                served.publishEach(choice, tag -> buffers(values.apply(tag)));
            } else {
                served.publishEach(choice, values, encoder);
            }
        }
    }

    private static Flux<ByteBuffer> buffers(Publisher<?> values) {
        return Flux.from(values).cast(ByteBuffer.class);
    }

    private static Publisher<?> call(BeanMethod method, Results results, @Nullable Object... arguments) {
        try {
            Publisher<?> publisher = results.publisher(method.invoke(arguments));
            if (publisher != null) {
                return publisher;
            }
        } catch (Throwable t) { // the method's
            throw method.refused("it has thrown " + Thrown.text(t), "Return a Publisher that fails, or one that is empty",
                    Thrown.loggable(t));
        }
        throw method.refused("it has returned null", "Return a Flux, which may be empty");
    }
}
