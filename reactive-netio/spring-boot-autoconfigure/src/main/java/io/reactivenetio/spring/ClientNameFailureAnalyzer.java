// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConverterNotFoundException;

/** Says that clients have names, where {@code netio.clients.host} is set and not {@code netio.clients.<name>.host}. */
@Order(Ordered.HIGHEST_PRECEDENCE) // before that of Spring Boot, which cannot know
final class ClientNameFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, BindException cause) {
        if (cause.getTarget().getType().resolve() != NetioClientProperties.class
                || findCause(cause, ConverterNotFoundException.class) == null) {
            return null;
        }
        String setting = cause.getName().getLastElement(Form.ORIGINAL);
        String description = "Property " + cause.getName() + " is a value, where there should be the settings of a client that is"
                + " named '" + setting + "'.";
        return new FailureAnalysis(description, "Clients have names of your own: write netio.clients.<name>." + setting + ".",
                cause);
    }
}
