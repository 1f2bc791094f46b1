// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.spring.Thrown;
import io.reactivenetio.spring.kafka.KafkaTransfer;
import io.reactivenetio.spring.kafka.KafkaWatch.View;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * DOWN if it has failed, whether it tries again or not; UNKNOWN as long as it is not known whether Kafka is there; OUT_OF_SERVICE
 * if it is stopped, or a sink whose publisher has ended the stream, as it writes nothing more.
 */
final class NetioKafkaHealth implements HealthIndicator {
    private final KafkaTransfer transfer;

    NetioKafkaHealth(KafkaTransfer transfer) {
        this.transfer = transfer;
    }

    @Override
    public Health health() {
        View view = transfer.view();
        Health.Builder health = switch (view.status()) {
            case STOPPED -> Health.outOfService();
            case COMPLETED -> transfer.mayComplete() ? Health.up() : Health.outOfService();
            case WAITING, STARTING -> Health.unknown();
            case UP -> Health.up();
            case DOWN, FAILED -> Health.down();
        };
        health.withDetail("state", view.status()).withDetail("since", view.since()).withDetails(transfer.figures());
        Throwable reason = view.reason();
        return (reason == null ? health : health.withDetail("reason", Thrown.text(reason))).build();
    }
}
