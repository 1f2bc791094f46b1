// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

/** What a source does when messages are missing. Metrics count them in any case. */
public enum GapHandling {
    /** Tells the {@link NetioDeserializationSchema}, and goes on. */
    TELL,

    /**
     * Fails the job, before the schema is told. A job that Flink restarts from its last checkpoint finds the same gap again and
     * fails again, so its restart strategy decides when it ends.
     */
    FAIL
}
