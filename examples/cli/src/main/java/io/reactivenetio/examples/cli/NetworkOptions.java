// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.NetioTransport;
import io.reactivenetio.Tls;
import io.reactivenetio.Tls.ClientCertificate;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How commands reach the other side: over which network, and with TLS or without. */
public final class NetworkOptions {
    private static final Map<String, BackendType> NAMES =
            Map.of("auto", BackendType.AUTO, "libfabric", BackendType.LIBFABRIC, "tcp", BackendType.TCP);

    @Option(names = "--provider", paramLabel = "NAME",
            description = "libfabric's provider: tcp, verbs, …; netio info lists them. Not with --backend tcp. Default: tcp.")
    private @Nullable String provider;

    @Option(names = "--backend", paramLabel = "NAME", defaultValue = "auto",
            description = "auto, the fastest network that both ends have; tcp, plain TCP sockets; or libfabric. With a --provider"
                    + " auto is libfabric. Default: ${DEFAULT-VALUE}.")
    private String backend = "auto";

    @Option(names = "--tls", description = "Encrypt with TLS. The side that listens needs --tls-cert and --tls-key; the other one"
            + " trusts whom the JVM trusts, or those of --tls-trust. Each of these implies --tls.")
    private boolean tls;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "The certificates that say who this side is, in PEM.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The private key of --tls-cert, in PEM (PKCS #8).")
    private @Nullable Path key;

    @Option(names = "--tls-trust", paramLabel = "FILE",
            description = "The certificates, in PEM, that the other side's is signed with. Where this side listens, the other one"
                    + " has to show one.")
    private @Nullable Path trust;

    @Option(names = "--tls-name", paramLabel = "NAME",
            description = "The name that the other side's certificate has to be for. Default: the host in --to.")
    private @Nullable String name;

    @Option(names = "--secret", paramLabel = "NAME=FILE",
            description = "A name, and the file with its secret, 16 random bytes or more, such as openssl rand 32 makes. The side"
                    + " that connects proves that it knows the secret; the side that listens lets in whoever knows one of its"
                    + " own.")
    private Map<String, Path> secrets = Map.of();

    @Option(names = "--allow", paramLabel = "NETWORK",
            description = "Where this side listens: from which network others may connect, as 10.1.0.0/16. May be repeated."
                    + " Default: from all.")
    private List<String> allowed = List.of();

    /** Made by picocli. */
    public NetworkOptions() {
    }

    /** Refuses what makes no sense, before anything is opened. */
    public void check() {
        if (!NAMES.containsKey(backend)) {
            throw CliException.usage("--backend " + backend + " is not available; there are auto, libfabric and tcp");
        }
        if (provider != null) {
            checkProvider(provider);
        }
        if ((certificate == null) != (key == null)) {
            throw CliException.usage("--tls-cert and --tls-key belong together: give both, or none");
        }
    }

    private void checkProvider(String given) {
        if (backend() == BackendType.TCP) {
            throw CliException.usage("--provider " + given + " is one of libfabric's, which --backend tcp does without: leave one"
                    + " of the two out");
        }
        if (given.isBlank()) {
            throw CliException.usage("--provider is blank; try tcp or verbs");
        }
        if (given.equals("sockets")) {
            throw CliException.usage("--provider sockets is not supported, because libfabric 2 has removed it; use tcp");
        }
    }

    private BackendType backend() {
        return NAMES.getOrDefault(backend, BackendType.AUTO);
    }

    /**
     * Returns {@code transport} over the network that was asked for.
     *
     * @throws CliException if the files of TLS or of secrets cannot be used
     */
    @SuppressWarnings("unchecked") // T is NetioServer or NetioClient
    public <T extends NetioTransport<T>> T of(T transport) {
        check();
        T patient = transport.backend(backend()).connectTimeout(Patience.ofSeconds(5)); // for a handshake, too
        T over = provider == null ? patient : patient.provider(provider);
        T secured = tls || certificate != null || trust != null || name != null ? secured(over) : over;
        try {
            return (T) (secured instanceof NetioServer server ? guarded(server) : shown((NetioClient) (Object) secured));
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    private NetioServer guarded(NetioServer server) {
        NetioServer from = allowed.isEmpty() ? server : server.allow(allowed.toArray(String[]::new));
        if (secrets.isEmpty()) {
            return from;
        }
        Map<String, byte[]> known = new HashMap<>();
        secrets.forEach((who, file) -> known.put(who, secret(who, file).secret()));
        return from.authenticate(NetioAuthenticator.secrets(known));
    }

    private NetioClient shown(NetioClient client) {
        if (!allowed.isEmpty()) {
            throw CliException.usage("--allow is for the side that listens");
        }
        if (secrets.size() > 1) {
            throw CliException.usage("the side that connects has one --secret, and not " + secrets.size());
        }
        for (Map.Entry<String, Path> own : secrets.entrySet()) {
            return client.credentials(secret(own.getKey(), own.getValue()));
        }
        return client;
    }

    private static NetioCredentials.Secret secret(String who, Path file) {
        try {
            return NetioCredentials.secret(who, Files.readAllBytes(file));
        } catch (IOException e) {
            throw CliException.usage("--secret " + who + ": cannot read " + file + ": " + e.getMessage());
        }
    }

    private <T extends NetioTransport<T>> T secured(T transport) {
        Tls made = Tls.create();
        if (certificate != null && key != null) {
            made = made.certificate(certificate, key);
        }
        if (trust != null) {
            made = made.trust(trust);
            made = transport instanceof NetioServer ? made.clientCertificate(ClientCertificate.REQUIRED) : made;
        } else if (transport instanceof NetioServer && certificate == null) {
            throw CliException.usage("the side that listens needs --tls-cert and --tls-key with TLS");
        }
        if (name != null) {
            made = made.serverName(name);
        }
        try {
            T secured = transport.secure(made);
            secured.validate();
            return secured;
        } catch (IllegalArgumentException e) {
            throw CliException.usage(String.valueOf(e.getMessage()));
        }
    }

    /** Returns a server that listens at {@code where}, over the network that was asked for. */
    public NetioServer server(HostPort where) {
        return of(NetioServer.create()).host(where.host()).port(where.port());
    }
}
