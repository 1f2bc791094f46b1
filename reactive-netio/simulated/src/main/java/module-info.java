// SPDX-License-Identifier: Apache-2.0

/** A backend whose network is played in memory, for simulations and tests. Internal to {@code io.reactivenetio.test}. */
module io.reactivenetio.simulated {
    requires transitive io.reactivenetio.transport;

    exports io.reactivenetio.simulated;
}
