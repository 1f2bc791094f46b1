// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether something is configured under {@code netio.kafka.sinks} or {@code netio.kafka.sources}. */
final class OnNetioKafka extends SpringBootCondition {
    private static final Bindable<Map<String, Object>> ANY = Bindable.mapOf(String.class, Object.class);

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Binder binder = Binder.get(context.getEnvironment());
        boolean any = binder.bind("netio.kafka.sinks", ANY).isBound() || binder.bind("netio.kafka.sources", ANY).isBound();
        return new ConditionOutcome(any, ConditionMessage.forCondition("netio Kafka").because("netio.kafka.sinks or sources are "
                + (any ? "configured" : "not configured")));
    }
}
