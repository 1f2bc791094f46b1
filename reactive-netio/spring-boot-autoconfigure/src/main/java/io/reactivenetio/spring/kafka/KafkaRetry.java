// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.kafka.NetioKafkaException;
import io.reactivenetio.spring.NetioClientProperties.Reconnect;
import java.time.Duration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** When a sink or source that has failed begins again. */
record KafkaRetry(boolean enabled, Duration least, Duration most) {

    static KafkaRetry of(Reconnect reconnect) {
        if (!reconnect.minBackoff().isPositive()) {
            throw new InvalidConfigurationPropertyValueException("netio.kafka.reconnect.min-backoff", reconnect.minBackoff(),
                    "without a pause, attempts would keep a thread busy: name a positive duration, such as 100ms");
        }
        if (reconnect.maxBackoff().compareTo(reconnect.minBackoff()) < 0) {
            throw new InvalidConfigurationPropertyValueException("netio.kafka.reconnect.max-backoff", reconnect.maxBackoff(),
                    "it must not be less than netio.kafka.reconnect.min-backoff, which is " + reconnect.minBackoff());
        }
        return new KafkaRetry(reconnect.enabled(), reconnect.minBackoff(), reconnect.maxBackoff());
    }

    /** Whether it may pass: brokers and topics may come, while a refusal would come again. */
    boolean isTransient(Throwable failure) {
        return enabled && failure instanceof NetioKafkaException kafka && switch (kafka.reason()) {
            case NO_BROKER, NO_TOPIC, OTHER -> true;
            case NOT_ALLOWED, TOO_LARGE, TIMESTAMP, FENCED, NO_OFFSET, NOT_A_MESSAGE, SETTINGS -> false;
        };
    }

    /** The pause after so many failures in a row before. */
    Duration pause(int failures) {
        Duration pause = least;
        for (int i = 0; i < failures && pause.compareTo(most) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(most) < 0 ? pause : most;
    }
}
