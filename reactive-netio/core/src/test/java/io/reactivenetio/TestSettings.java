// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.time.Duration;

/** What {@code ./netio test --rdma} sets for a machine with an RDMA device, by the system properties {@code netio.test.…}. */
final class TestSettings {
    /** What libfabric is to use, and where to listen. */
    static final String PROVIDER = System.getProperty("netio.test.provider", "tcp");
    static final String ADDRESS = System.getProperty("netio.test.address", "127.0.0.1");
    private static final int SCALE = Integer.getInteger("netio.test.scale", 1);
    /** How many times slower the machine is: the time-outs are that much longer. */
    private static final int SLOWNESS = Integer.getInteger("netio.test.slowness", 1);

    private TestSettings() {
    }

    static Duration patient(Duration limit) {
        return limit.multipliedBy(SLOWNESS);
    }

    /** A number of messages or rounds, divided by {@code netio.test.scale}, at most 20, where the machine is that much slower. */
    static int scaled(int number) {
        return Math.max(1, number / Math.clamp(SCALE, 1, 20));
    }
}
