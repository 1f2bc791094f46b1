// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.spring.Thrown;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Remembers what a sink or source of Kafka does, and logs when it changes. Any thread. */
public final class KafkaWatch {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaWatch.class);

    /** What it does. WAITING is a source without subscribers, DOWN one that tries again, FAILED one that does not. */
    public enum Status { STOPPED, WAITING, STARTING, UP, DOWN, FAILED, COMPLETED }

    /**
     * What is known at a moment.
     *
     * @param since since when it is {@code status}
     * @param reason why it is DOWN or FAILED; null otherwise
     */
    public record View(Status status, Instant since, @Nullable Throwable reason) {
    }

    private final String name;
    private volatile View view = new View(Status.STOPPED, Instant.now(), null);

    /** {@code name} is what logs call it. */
    KafkaWatch(String name) {
        this.name = name;
    }

    /** What is known now. */
    public View view() {
        return view;
    }

    synchronized void is(Status status) {
        if (view.status() != status) {
            Level level = status == Status.UP || status == Status.COMPLETED ? Level.INFO : Level.DEBUG;
            view = new View(status, Instant.now(), null);
            LOG.atLevel(level).log("{} is {}", name, status);
        }
    }

    /** It has failed, and tries again. That does not end with the next attempt, but with one that works. */
    synchronized void failed(Throwable reason) {
        boolean already = view.status() == Status.DOWN;
        view = new View(Status.DOWN, already ? view.since() : Instant.now(), reason);
        LOG.atLevel(already ? Level.DEBUG : Level.WARN).log("{} has failed, and tries again until it works: {}", name,
                Thrown.text(reason));
    }

    /** It has failed, and does not try again. */
    synchronized void ended(Throwable reason) {
        view = new View(Status.FAILED, Instant.now(), reason);
        LOG.error("{} has failed, and does not try again: {}", name, Thrown.text(reason));
    }
}
