// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import java.time.Duration;

/** What {@code ./netio test --rdma} sets for a machine with an RDMA device, by the system properties {@code netio.test.…}. */
final class TestSettings {
    /** The address to listen on, one of the same network where nobody answers if there is one, and an IPv6 address. */
    static final String ADDRESS = System.getProperty("netio.test.address", "127.0.0.1");
    static final String NOBODY = System.getProperty("netio.test.nobody", "");
    static final String ADDRESS6 = System.getProperty("netio.test.address6", "::1");
    static final boolean VERBS = System.getProperty("netio.test.provider", "").equals("verbs");
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
