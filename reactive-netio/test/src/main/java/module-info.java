// SPDX-License-Identifier: Apache-2.0

/** A server and a client for the tests of pipelines over reactive-netio. */
module io.reactivenetio.test {
    requires transitive io.reactivenetio;
    requires io.reactivenetio.simulated;
    requires static reactor.test; // its virtual time is followed where it is there

    exports io.reactivenetio.test;
}
