// SPDX-License-Identifier: Apache-2.0

/** RDMA endpoints as Reactive Streams, under an API that feels like Reactor Netty. */
@SuppressWarnings("module") // the module of the test pair is made of this one, and so later
module io.reactivenetio {
    requires transitive io.reactivenetio.transport;
    requires transitive org.reactivestreams;
    requires transitive reactor.core;
    requires org.jctools.core.jdk11;
    requires org.slf4j;

    exports io.reactivenetio;
    exports io.reactivenetio.api;
    exports io.reactivenetio.connection to io.reactivenetio.test;
    exports io.reactivenetio.lifecycle to io.reactivenetio.test;
    exports io.reactivenetio.pubsub;
}
