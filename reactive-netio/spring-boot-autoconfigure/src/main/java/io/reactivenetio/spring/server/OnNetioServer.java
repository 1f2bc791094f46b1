// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.server;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether there is to be a server: {@code netio.server.enabled} says so, or {@code netio.server.port} is set. */
final class OnNetioServer extends SpringBootCondition {
    private static final String ENABLED = "netio.server.enabled";
    private static final String PORT = "netio.server.port";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        ConditionMessage.Builder message = ConditionMessage.forCondition("netio server");
        Boolean enabled = Binder.get(environment).bind(ENABLED, Boolean.class).orElse(null); // which names what it cannot read
        if (enabled != null) {
            return new ConditionOutcome(enabled, message.because(ENABLED + " is " + enabled));
        }
        boolean hasPort = environment.containsProperty(PORT);
        return new ConditionOutcome(hasPort, message.because(PORT + " is " + (hasPort ? "set" : "not set")));
    }
}
