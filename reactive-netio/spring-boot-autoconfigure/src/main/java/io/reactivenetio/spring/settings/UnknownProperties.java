// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Warns once of properties that nobody reads, such as {@code netio.clients.x.prot}, which Spring Boot ignores. Environment and
 * system properties are not looked at, as others put their own there.
 */
public final class UnknownProperties implements SmartInitializingSingleton {
    private static final Logger LOG = LoggerFactory.getLogger(UnknownProperties.class);

    private final ConfigurableEnvironment environment;
    private final String prefix;
    private final Class<?> type;
    private final List<ConfigurationPropertyName> others;

    /**
     * @param prefix below which {@code type} is bound
     * @param others below which others are bound
     */
    public UnknownProperties(ConfigurableEnvironment environment, String prefix, Class<?> type, String... others) {
        this.environment = environment;
        this.prefix = prefix;
        this.type = type;
        this.others = Stream.of(others).map(ConfigurationPropertyName::of).toList();
    }

    private boolean isOwn(ConfigurationPropertyName name) {
        return others.stream().noneMatch(other -> other.isAncestorOf(name));
    }

    private static boolean isOfTheApplication(PropertySource<?> source) {
        return !source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)
                && new UnboundElementsSourceFilter().apply(Objects.requireNonNull(ConfigurationPropertySource.from(source)));
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!ConfigurationPropertySources.isAttachedConfigurationPropertySource(source) && isOfTheApplication(source)) {
                sources.add(Objects.requireNonNull(ConfigurationPropertySource.from(source)).filter(this::isOwn));
            }
        }
        try {
            new Binder(sources, new PropertySourcesPlaceholdersResolver(environment)).bind(prefix, Bindable.of(type),
                    new NoUnboundElementsBindHandler(BindHandler.DEFAULT, source -> true));
        } catch (BindException e) {
            if (e.getCause() instanceof UnboundConfigurationPropertiesException unbound) {
                LOG.warn("nobody reads these properties, whose names may be misspelt: {}", unbound.getUnboundProperties().stream()
                        .map(property -> property.getName() + (property.getOrigin() == null ? "" : " (" + property.getOrigin()
                                + ")")).toList());
            } // a wrong value has been told when the properties themselves were bound
        }
    }
}
