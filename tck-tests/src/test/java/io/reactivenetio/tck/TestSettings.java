// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import java.time.Duration;
import org.reactivestreams.tck.TestEnvironment;

/** What {@code ./netio test --rdma} sets for a machine with an RDMA device, by the system properties {@code netio.test.…}. */
final class TestSettings {
    /** What libfabric is to use, and where to listen. */
    static final String PROVIDER = System.getProperty("netio.test.provider", "tcp");
    static final boolean VERBS = PROVIDER.equals("verbs");
    static final String ADDRESS = System.getProperty("netio.test.address", "127.0.0.1");
    /** How many times slower the machine is: the time-outs are that much longer. */
    private static final int SLOWNESS = Integer.getInteger("netio.test.slowness", 1);

    static final boolean SLOW = SLOWNESS > 1;

    private TestSettings() {
    }

    /** For a signal to arrive, on a machine that is busy with other things; for none to arrive; and between two looks. */
    static TestEnvironment environment() {
        return new TestEnvironment(Math.max(2_000L, 500L * SLOWNESS), 200L * SLOWNESS, 200L * SLOWNESS);
    }

    /** For what is waited for between tests and before them, where only a hang would take that long. */
    static Duration patience() {
        return Duration.ofSeconds(30L * SLOWNESS);
    }
}
