// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.testing;

import java.time.Duration;

/** What {@code ./netio test --rdma} sets for a machine with an RDMA device, by the system properties {@code netio.test.…}. */
public final class TestSettings {
    /** What libfabric is to use. */
    public static final String PROVIDER = System.getProperty("netio.test.provider", "tcp");
    public static final boolean VERBS = PROVIDER.equals("verbs");
    /** The address to listen on, one of the same network where nobody answers if there is one, and an IPv6 address. */
    public static final String ADDRESS = System.getProperty("netio.test.address", "127.0.0.1");
    public static final String NOBODY = System.getProperty("netio.test.nobody", "");
    public static final String ADDRESS6 = System.getProperty("netio.test.address6", "::1");
    /** Whether connections have TLS in tests that are not about that. */
    public static final boolean TLS = Boolean.getBoolean("netio.test.tls");
    /** What the ordinary run divides numbers by; {@code -Dnetio.test.scale=1} runs all of them. */
    private static final int SCALE = Integer.getInteger("netio.test.scale", 8);
    /** Whether all is run, also what only repeats other tests under further conditions: see {@link AtFullScale}. */
    public static final boolean FULL = SCALE == 1;
    /** How many times slower the machine is: the time-outs are that much longer. */
    public static final int SLOWNESS = Integer.getInteger("netio.test.slowness", 1);
    public static final boolean SLOW = SLOWNESS > 1;
    /** How long only a hang would take. */
    public static final Duration PATIENCE = patient(Duration.ofSeconds(60));

    private TestSettings() {
    }

    /** A limit, {@code netio.test.slowness} times as long. */
    public static Duration patient(Duration limit) {
        return limit.multipliedBy(SLOWNESS);
    }

    /**
     * A number of messages, bytes or rounds, divided by {@code netio.test.scale}: 8 in the ordinary run, 1 where there is time,
     * up to 20 where the machine is slow.
     */
    public static int scaled(int number) {
        return Math.max(1, number / Math.clamp(SCALE, 1, 20));
    }
}
