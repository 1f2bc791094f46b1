// SPDX-License-Identifier: Apache-2.0

/** The event loop, the FFM bindings and the network backends. Knows nothing of Reactor or Reactive Streams. */
module io.reactivenetio.transport {
    requires org.jctools.core.jdk11;
    requires transitive org.jspecify;
    requires org.slf4j;

    exports io.reactivenetio.loop;
    exports io.reactivenetio.transport;
    exports io.reactivenetio.transport.exceptions;

    uses io.reactivenetio.transport.BackendProvider;

    provides io.reactivenetio.transport.BackendProvider with
            io.reactivenetio.transport.libfabric.LibfabricProvider,
            io.reactivenetio.transport.tcp.TcpProvider;
}
