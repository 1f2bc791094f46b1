// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.NetioServer;
import io.reactivenetio.NetioTransport;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.HostPort;
import io.reactivenetio.transport.BackendType;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How commands of this program speak to publishers and subscribers. */
final class NetworkOptions {
    private static final Map<String, BackendType> NAMES =
            Map.of("auto", BackendType.AUTO, "libfabric", BackendType.LIBFABRIC, "tcp", BackendType.TCP);

    @Option(names = "--backend", paramLabel = "NAME", defaultValue = "auto",
            description = "auto, the fastest network that both ends have; tcp, plain TCP sockets; or libfabric. With a --provider"
                    + " auto is libfabric. Default: ${DEFAULT-VALUE}.")
    private String backend = "auto";

    @Option(names = "--provider", paramLabel = "NAME",
            description = "libfabric's provider: tcp, verbs, …; netio info lists them. Default: tcp.")
    private @Nullable String provider;

    /** Returns {@code transport} over the network that was asked for. */
    <T extends NetioTransport<T>> T of(T transport) {
        BackendType type = NAMES.get(backend);
        if (type == null) {
            throw CliException.usage("--backend " + backend + " is not available; there are auto, libfabric and tcp");
        }
        return provider == null ? transport.backend(type) : transport.backend(type).provider(provider);
    }

    /** A server that listens there. */
    NetioServer server(HostPort where) {
        return of(NetioServer.create()).host(where.host()).port(where.port());
    }
}
