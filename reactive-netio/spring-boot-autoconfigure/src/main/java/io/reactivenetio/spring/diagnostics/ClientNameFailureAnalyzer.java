// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.diagnostics;

import io.reactivenetio.spring.NetioClientProperties;
import io.reactivenetio.spring.kafka.NetioKafkaProperties;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConverterNotFoundException;

/**
 * Says that clients have names, where {@code netio.clients.host} is set and not {@code netio.clients.<name>.host}. So have sinks
 * and sources of Kafka.
 */
@Order(Ordered.HIGHEST_PRECEDENCE) // before that of Spring Boot, which cannot know
final class ClientNameFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private static final Map<Class<?>, String> NAMED = Map.of(NetioClientProperties.class, "client",
            NetioKafkaProperties.Sink.class, "sink", NetioKafkaProperties.Source.class, "source");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, BindException cause) {
        Class<?> type = cause.getTarget().getType().resolve();
        String kind = type == null ? null : NAMED.get(type);
        if (kind == null || findCause(cause, ConverterNotFoundException.class) == null) {
            return null;
        }
        String setting = cause.getName().getLastElement(Form.ORIGINAL);
        String description = "Property " + cause.getName() + " is a value, where there should be the settings of a " + kind
                + " that is named '" + setting + "'.";
        return new FailureAnalysis(description, NetioFailureAnalyzer.capital(kind) + "s have names of your own: write "
                + cause.getName().getParent() + ".<name>." + setting + ".", cause);
    }
}
