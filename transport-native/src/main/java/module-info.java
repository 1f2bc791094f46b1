// SPDX-License-Identifier: Apache-2.0

/** The event loop, the FFM bindings and the network backends. Knows nothing of Reactor or Reactive Streams. */
@SuppressWarnings("module") // those that may use the backends are made of this one, and so later
module io.reactivenetio.transport {
    requires org.jctools.core.jdk11;
    requires transitive org.jspecify;
    requires org.slf4j;

    exports io.reactivenetio.loop;
    exports io.reactivenetio.transport;
    exports io.reactivenetio.transport.backend to
            io.reactivenetio, io.reactivenetio.benchmarks, io.reactivenetio.examples, io.reactivenetio.examples.ladder,
            io.reactivenetio.micrometer, io.reactivenetio.simulated, io.reactivenetio.spring, io.reactivenetio.test;
    exports io.reactivenetio.transport.exceptions;
    exports io.reactivenetio.transport.tls to io.reactivenetio;

    uses io.reactivenetio.transport.backend.BackendProvider;

    provides io.reactivenetio.transport.backend.BackendProvider with
            io.reactivenetio.transport.libfabric.LibfabricProvider,
            io.reactivenetio.transport.tcp.TcpProvider;
}
