// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.UnknownClientException;
import io.reactivenetio.spring.annotation.BlockingMode;
import io.reactivenetio.spring.annotation.NetioErrorHandler;
import io.reactivenetio.spring.annotation.NetioListener;
import io.reactivenetio.spring.annotation.OnComplete;
import io.reactivenetio.spring.annotation.method.AnnotatedMethods;
import io.reactivenetio.spring.annotation.method.BeanMethod;
import io.reactivenetio.spring.annotation.method.Texts;
import io.reactivenetio.spring.security.PeerScope;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Makes listeners of the methods that are annotated with {@link NetioListener}. */
public final class Listeners implements AnnotatedMethods.Use<NetioListener> {
    /** The limit for a fast listener. With a quarter of it, both ends wait for each other half of the time. */
    private static final String MESSAGES_AHEAD = "4096";
    /** The number of receive buffers: those that leases hold cannot receive. */
    private static final String LEASES_AHEAD = "32";

    private final BeanFactory beans;
    private final Texts texts;
    private final NetioClients clients;
    private final NetioCodecs codecs;
    private final ListenerRegistry registry;
    private final OnComplete onComplete;
    private final PeerScope.Factory peers;
    /** With another policy a subscriber is another one, with a connection of its own: one for all listeners. */
    private final Map<NetioSubscriber, Map<SlowPolicy, NetioSubscriber>> withPolicy = new HashMap<>();

    /**
     * Adds what it makes to {@code registry}. {@code onComplete} is for listeners whose annotation says nothing of it. {@code
     * peers} says how methods see who has published a message.
     */
    public Listeners(BeanFactory beans, Texts texts, NetioClients clients, NetioCodecs codecs, ListenerRegistry registry,
            OnComplete onComplete, PeerScope.Factory peers) {
        this.beans = beans;
        this.texts = texts;
        this.clients = clients;
        this.codecs = codecs;
        this.registry = registry;
        this.onComplete = onComplete;
        this.peers = peers;
    }

    @Override
    public void add(BeanMethod method, NetioListener annotation) {
        ListenerMethod taking = new ListenerMethod(method, codecs);
        ListenerContainer listener = ListenerContainer.of(taking, settings(method, annotation, taking));
        if (!registry.add(listener)) {
            throw method.refused("another listener has the id '" + listener.id() + "'", "Set an id of its own");
        }
    }

    private ListenerSettings settings(BeanMethod method, NetioListener annotation, ListenerMethod taking) {
        String id = texts.text(method, "id", annotation.id());
        NetioErrorHandler named = errorHandler(method, annotation);
        int retries = texts.number(method, "retry", annotation.retry(), 0, Integer.MAX_VALUE);
        return new ListenerSettings(id.isEmpty() ? method.defaultName() : id, subscriber(method, annotation),
                tags(method, annotation, taking),
                texts.number(method, "concurrency", annotation.concurrency(), 1, Integer.MAX_VALUE),
                texts.number(method, "prefetch", prefetch(annotation, taking), 0, Integer.MAX_VALUE),
                annotation.prefetch().isEmpty() && !taking.content().isLease(), retries,
                texts.duration(method, "retryDelay", annotation.retryDelay()),
                Objects.requireNonNullElse(named, Failures::log), retries > 0 || named != null,
                blocks(method, annotation, taking),
                resubscribes(method, annotation), texts.bool(method, "autoStartup", annotation.autoStartup()), peers);
    }

    private List<Tags> tags(BeanMethod method, NetioListener annotation, ListenerMethod taking) {
        List<Tags> tags = texts.tags(method, annotation.tags());
        if (taking.content().isBatch() && tags.size() > 1) { // what merges streams keeps elements for later
            throw method.refused("it takes batches, and its tags are " + tags.size() + " streams", "Write one number, range or"
                    + " pattern, whose messages come on one stream; or have a method for each");
        }
        return tags;
    }

    private static String prefetch(NetioListener annotation, ListenerMethod taking) {
        return !annotation.prefetch().isEmpty() ? annotation.prefetch()
                : taking.content().isLease() ? LEASES_AHEAD : MESSAGES_AHEAD;
    }

    private boolean resubscribes(BeanMethod method, NetioListener annotation) {
        OnComplete[] choices = annotation.onComplete();
        if (choices.length > 1) {
            throw method.refused("onComplete has " + choices.length + " values", "Leave one, or none");
        }
        return (choices.length == 0 ? onComplete : choices[0]) == OnComplete.RESUBSCRIBE;
    }

    private static boolean blocks(BeanMethod method, NetioListener annotation, ListenerMethod taking) {
        if (taking.takesFlux() && annotation.blocking() == BlockingMode.VIRTUAL_THREADS) {
            throw method.refused("it takes a Flux, whose messages come on the loop, and is to run on virtual threads",
                    "Leave blocking out, and have the Flux change threads where it has to, with publishOn; or take one message"
                            + " at a time");
        }
        return switch (annotation.blocking()) {
            case VIRTUAL_THREADS -> true;
            case NON_BLOCKING -> false;
            case BY_RETURN_TYPE -> !taking.isAsynchronous();
        };
    }

    private NetioSubscriber subscriber(BeanMethod method, NetioListener annotation) {
        SlowPolicy[] policies = annotation.whenSlow();
        if (policies.length > 1) {
            throw method.refused("whenSlow has " + policies.length + " policies", "Leave one, or none");
        }
        NetioSubscriber subscriber = subscriber(method, texts.text(method, "client", annotation.client()));
        return policies.length == 0 ? subscriber : withPolicy.computeIfAbsent(subscriber, of -> new EnumMap<>(SlowPolicy.class))
                .computeIfAbsent(policies[0], subscriber::whenSlow);
    }

    private NetioSubscriber subscriber(BeanMethod method, String client) {
        try {
            return clients.subscriber(client);
        } catch (UnknownClientException e) {
            throw method.unknownClient(e);
        } catch (InvalidConfigurationPropertyValueException e) {
            throw method.refused("its client cannot subscribe", "Leave " + e.getName() + " out, on both sides", e);
        }
    }

    private @Nullable NetioErrorHandler errorHandler(BeanMethod method, NetioListener annotation) {
        String name = texts.text(method, "errorHandler", annotation.errorHandler());
        Class<? extends NetioErrorHandler> type = annotation.errorHandlerType();
        try {
            return !name.isEmpty() ? beans.getBean(name, NetioErrorHandler.class)
                    : type != NetioErrorHandler.class ? beans.getBean(type)
                    : beans.getBeanProvider(NetioErrorHandler.class).getIfUnique();
        } catch (BeansException e) {
            throw method.refused("there is no error handler " + (name.isEmpty() ? "of type " + type.getName() : "'" + name + "'"),
                    "Declare a bean of NetioErrorHandler with that " + (name.isEmpty() ? "type" : "name"), e);
        }
    }
}
