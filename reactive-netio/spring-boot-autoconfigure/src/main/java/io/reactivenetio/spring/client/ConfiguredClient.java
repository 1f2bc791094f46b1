// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.client;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SharedConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.FramingKind;
import io.reactivenetio.spring.NetioClientProperties;
import io.reactivenetio.spring.NetioClientProperties.Reconnect;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** One client of {@code netio.clients}, with its subscriber and its connection for requests. Any thread. */
public final class ConfiguredClient implements Disposable {
    private final String prefix;
    private final @Nullable FramingKind framing;
    private final NetioClient client;
    private final @Nullable NetioSubscriber subscriber;
    private final @Nullable SharedConnection requests;
    private final Map<String, ClientWatch> watches = new LinkedHashMap<>();
    private volatile boolean disposed;

    ConfiguredClient(String name, NetioClientProperties properties, NetioClient client) {
        this.prefix = NetioClientsFactory.prefix(name);
        this.framing = properties.framing();
        this.client = client;
        watches.put("connections", new ClientWatch("client '" + name + "'", false, client.states()));
        if (!properties.hasStreams()) {
            subscriber = null;
            requests = null;
            return;
        }
        subscriber = subscriber("subscriber '" + name + "'", properties.subscriber(), client);
        watches.put("subscriptions", new ClientWatch("subscriber '" + name + "'", true, subscriber.states()));
        NetioClient requesting = client.framing(client.streamFraming()); // a client with states of its own
        requests = requesting.shared();
        watches.put("requests", new ClientWatch("client '" + name + "' for requests", false, requesting.states()));
    }

    private NetioSubscriber subscriber(String name, NetioClientProperties.Subscriber properties, NetioClient client) {
        NetioSubscriber made = NetioSubscriber.create(client).repeat(Resubscribing::whereWanted);
        SlowPolicy policy = properties.policy();
        if (policy != null) {
            made = made.whenSlow(policy);
        }
        return properties.reconnect().enabled() ? made.reconnect(backoff(name, properties.reconnect())) : made;
    }

    private Retry backoff(String name, Reconnect reconnect) {
        String names = prefix + "subscriber.reconnect.";
        if (!reconnect.minBackoff().isPositive()) {
            throw new InvalidConfigurationPropertyValueException(names + "min-backoff", reconnect.minBackoff(),
                    "without a pause, attempts to connect would keep a loop busy: name a positive duration, such as 100ms");
        }
        if (reconnect.maxBackoff().compareTo(reconnect.minBackoff()) < 0) {
            throw new InvalidConfigurationPropertyValueException(names + "max-backoff", reconnect.maxBackoff(),
                    "it must not be less than " + names + "min-backoff, which is " + reconnect.minBackoff());
        }
        return new SharedBackoff(name, reconnect.minBackoff(), reconnect.maxBackoff(), () -> !disposed);
    }

    NetioClient client() {
        return client;
    }

    NetioSubscriber subscriber() {
        if (subscriber == null) {
            throw noStreams("a subscriber");
        }
        return subscriber;
    }

    /** The subscriber; null if the framing has no streams. */
    public @Nullable NetioSubscriber subscriberIfAny() {
        return subscriber;
    }

    Mono<NetioConnection> connection() {
        if (requests == null) {
            throw noStreams("a connection for requests");
        }
        return Mono.defer(() -> disposed ? Mono.error(new IllegalStateException("the application stops, and makes no new"
                + " connections")) : requests.get());
    }

    private InvalidConfigurationPropertyValueException noStreams(String wanted) {
        return new InvalidConfigurationPropertyValueException(prefix + "framing", framing, wanted + " needs stream framing:"
                + " leave " + prefix + "framing out, on both sides");
    }

    /** What is known of its connections, by what they are for. */
    public Map<String, ClientWatch> watches() {
        return watches;
    }

    @Override
    public void dispose() {
        disposed = true;
        if (requests != null) {
            requests.dispose();
        }
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }
}
