// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import java.util.Map;
import reactor.core.publisher.Mono;

/** A sink or source of Kafka that starts and stops with the application. Any thread. */
public interface KafkaTransfer {

    /** Starts it, anew if it was stopped. */
    void start();

    /** Ends it in order. The Mono completes when nothing more comes of it, and what it has taken is where it belongs. */
    Mono<Void> stop();

    /** Ends it at once. */
    void abort();

    /** What it does. */
    KafkaWatch.View view();

    /** Whether it was to end by itself: then it is complete when its work is done, and otherwise when it is cut off from it. */
    boolean mayComplete();

    /** What it has done, for health. */
    Map<String, Object> figures();

    /** What it is, for the info endpoint. */
    Map<String, Object> settings();
}
