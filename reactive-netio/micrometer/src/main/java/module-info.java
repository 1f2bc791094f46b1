// SPDX-License-Identifier: Apache-2.0

/** What Micrometer shows of reactive-netio. */
module io.reactivenetio.micrometer {
    requires transitive io.reactivenetio;
    requires transitive micrometer.commons;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;

    exports io.reactivenetio.micrometer;
}
