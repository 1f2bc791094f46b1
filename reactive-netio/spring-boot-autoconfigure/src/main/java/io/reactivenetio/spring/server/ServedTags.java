// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.server;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.NetioConnectionService;
import io.reactivenetio.spring.NetioPublisherCustomizer;
import io.reactivenetio.spring.NetioServerProperties;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Serves the publisher on the server's connections. The publisher is looked for when the server is about to listen, as the beans
 * that use it are made by then. Its bean is lazy, so that it is only there beforehand if somebody uses it.
 */
public final class ServedTags {
    private static final Logger LOG = LoggerFactory.getLogger(ServedTags.class);

    private final ConfigurableListableBeanFactory beans;
    private final NetioServerProperties properties;
    /** Whether a handler or a customizer gives those who connect something. */
    private final BooleanSupplier hasMore;
    private volatile @Nullable NetioPublisher publisher;
    private volatile List<NetioConnectionService> services = List.of();

    ServedTags(ConfigurableListableBeanFactory beans, NetioServerProperties properties, BooleanSupplier hasMore) {
        this.beans = beans;
        this.properties = properties;
        this.hasMore = hasMore;
    }

    NetioServer on(NetioServer server) {
        return server.doOnBind(_ -> find()).doOnConnection(this::serve);
    }

    private void find() {
        String[] names = beans.getBeanNamesForType(NetioPublisher.class, true, false);
        boolean used = Arrays.stream(names).anyMatch(beans::containsSingleton)
                || beans.getBeanNamesForType(NetioPublisherCustomizer.class, true, false).length > 0;
        services = beans.getBeanProvider(NetioConnectionService.class).orderedStream().filter(NetioConnectionService::isUsed)
                .toList();
        used |= !services.isEmpty();
        if (!properties.hasStreams()) {
            if (used) {
                throw new InvalidConfigurationPropertyValueException("netio.server.framing", properties.framing(),
                        "what a NetioPublisher or an annotated method serves are tags, which need stream framing: leave"
                                + " netio.server.framing out, or do without them");
            }
        } else if (names.length > 0) {
            publisher = beans.getBean(NetioPublisher.class);
        }
        if (!used && !hasMore.getAsBoolean()) {
            LOG.warn("netio.server has nothing to do for those who connect: define a bean of NetioServerHandler, inject"
                    + " NetioPublisher and publish something, or annotate a method with @NetioMapping or @NetioPublish; set"
                    + " netio.server.enabled=false if there should be no server");
        }
    }

    private void serve(NetioConnection connection) {
        NetioPublisher found = publisher;
        if (found != null) {
            found.serve(connection);
        }
        services.forEach(service -> service.serve(connection));
    }
}
