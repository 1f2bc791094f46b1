// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.NetioServer;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.HostPort;
import io.reactivenetio.transport.BackendType;
import java.util.Map;
import picocli.CommandLine.Option;

/** How commands of this program speak to publishers and subscribers. */
final class NetworkOptions {
    private static final Map<String, BackendType> NAMES =
            Map.of("libfabric", BackendType.LIBFABRIC, "tcp", BackendType.TCP);

    @Option(names = "--backend", paramLabel = "NAME", defaultValue = "libfabric",
            description = "libfabric, or tcp: plain TCP sockets, without libfabric. Default: ${DEFAULT-VALUE}.")
    private String backend = "libfabric";

    @Option(names = "--provider", paramLabel = "NAME", defaultValue = "tcp",
            description = "libfabric's provider: tcp, verbs, …; netio info lists them. Default: ${DEFAULT-VALUE}.")
    private String provider = "tcp";

    BackendType backend() {
        BackendType type = NAMES.get(backend);
        if (type == null) {
            throw CliException.usage("--backend " + backend + " is not available; there are libfabric and tcp");
        }
        return type;
    }

    String provider() {
        return provider;
    }

    /** A server that listens there. */
    NetioServer server(HostPort where) {
        return NetioServer.create().host(where.host()).port(where.port()).backend(backend()).provider(provider);
    }
}
