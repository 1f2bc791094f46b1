// SPDX-License-Identifier: Apache-2.0

/** A backend whose network is played in memory, for simulations and tests. Internal to {@code io.reactivenetio.test}. */
@SuppressWarnings("module") // the module of the test pair is made of this one, and so later
module io.reactivenetio.simulated {
    requires transitive io.reactivenetio.transport;

    exports io.reactivenetio.simulated to io.reactivenetio.test;
}
