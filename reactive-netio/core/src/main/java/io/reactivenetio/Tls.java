// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.tls.ContextEngines;
import io.reactivenetio.tls.CredentialFiles;
import io.reactivenetio.tls.Credentials;
import io.reactivenetio.transport.tls.TlsEngines;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@link NetioTransport#secure}: who this side is, whom it trusts, and which TLS it speaks. It is immutable: each
 * setting returns a changed copy. All methods may be called on any thread.
 *
 * {@snippet :
 * NetioServer.create().secure(Tls.create().certificate(Path.of("server.pem"), Path.of("server.key")));
 * NetioClient.create().host("daq1.example.org").secure(Tls.create().trust(Path.of("ca.pem")));
 * }
 *
 * <p>Unless said otherwise it is TLS 1.3 (RFC 8446), as the JDK has it. A client trusts the certificate authorities that the JVM
 * trusts, and checks that the certificate is for the host name or address that it was told. A server asks no client for a
 * certificate.
 *
 * <p>Files are read when a server binds or a client connects, and again when they have changed: a connection that is made a
 * second later has what is new. Connections that are there already stay. If changed files cannot be used, which the log says, the
 * former ones go on.
 */
public final class Tls {
    /** Whether a server asks its clients who they are. */
    public enum ClientCertificate {
        /** They are not asked. */
        NONE,
        /** They are asked, and may have none. One that is not trusted is refused. */
        WANTED,
        /** They are asked, and refused if they have none. */
        REQUIRED
    }

    private @Nullable Supplier<? extends SSLContext> context;
    private Credentials credentials = Credentials.NONE;
    private List<String> protocols = List.of("TLSv1.3");
    private List<String> ciphers = List.of();
    private ClientCertificate clientCertificate = ClientCertificate.NONE;
    private @Nullable String serverName;
    private boolean verifiesHost = true;
    /** Made when it is needed first. */
    private @Nullable TlsEngines engines;

    private Tls() {
    }

    private Tls with(Consumer<Tls> change) {
        Tls changed = new Tls();
        changed.context = context;
        changed.credentials = credentials;
        changed.protocols = protocols;
        changed.ciphers = ciphers;
        changed.clientCertificate = clientCertificate;
        changed.serverName = serverName;
        changed.verifiesHost = verifiesHost;
        change.accept(changed);
        return changed;
    }

    /** The usual settings, without a certificate. */
    public static Tls create() {
        return new Tls();
    }

    /**
     * The keys and the trust of {@code context}, and its cipher suites unless they are set here. Its protocols are not used, but
     * those that are set here.
     */
    public static Tls of(SSLContext context) {
        Objects.requireNonNull(context, "context");
        return of(() -> context);
    }

    /**
     * The keys and the trust of what {@code context} returns, which is asked for each connection, on a worker thread. If it
     * throws, the connection is refused.
     */
    public static Tls of(Supplier<? extends SSLContext> context) {
        Objects.requireNonNull(context, "context");
        return new Tls().with(changed -> changed.context = context);
    }

    /**
     * Who this side is: certificates in PEM, its own first and those of the authorities between it and the root behind it, and
     * the private key in PEM (PKCS #8), without a password.
     */
    public Tls certificate(Path chain, Path key) {
        return withCredentials(credentials.withChain(chain, key, null));
    }

    /** Who this side is, with a private key that is encrypted with {@code password}. */
    public Tls certificate(Path chain, Path key, String password) {
        return withCredentials(credentials.withChain(chain, key, password));
    }

    /** Who this side is: a key store (PKCS #12 or JKS) with one private key and its certificates. */
    public Tls keyStore(Path file, String password) {
        return withCredentials(credentials.withKeyStore(file, password));
    }

    /** Whom this side trusts instead of those whom the JVM trusts: authorities, or single peers, as certificates in PEM. */
    public Tls trust(Path certificates) {
        return withCredentials(credentials.withTrust(certificates));
    }

    /** Whom this side trusts instead of those whom the JVM trusts: the certificates of a key store (PKCS #12 or JKS). */
    public Tls trustStore(Path file, String password) {
        return withCredentials(credentials.withTrustStore(file, password));
    }

    private Tls withCredentials(Credentials value) {
        if (context != null) {
            throw new IllegalArgumentException("keys and certificates come with the SSLContext: use Tls.create() for files");
        }
        return with(changed -> changed.credentials = value);
    }

    /** Whether a server asks its clients for a certificate. With files, that needs {@link #trust} or {@link #trustStore}. */
    public Tls clientCertificate(ClientCertificate wish) {
        return with(changed -> changed.clientCertificate = wish);
    }

    /**
     * The versions of TLS that are allowed, as {@link SSLParameters#setProtocols} has them: {@code TLSv1.3}, {@code TLSv1.2}.
     *
     * @throws IllegalArgumentException if there is none, or one that this JVM does not have
     */
    public Tls protocols(String... names) {
        List<String> chosen = checked("protocol", supported().getProtocols(), names);
        return with(changed -> changed.protocols = chosen);
    }

    /**
     * The cipher suites that are allowed, by their standard names, such as {@code TLS_AES_128_GCM_SHA256}.
     *
     * @throws IllegalArgumentException if there is none, or one that this JVM does not have
     */
    public Tls ciphers(String... names) {
        List<String> chosen = checked("cipher suite", supported().getCipherSuites(), names);
        return with(changed -> changed.ciphers = chosen);
    }

    private static SSLParameters supported() {
        try {
            return SSLContext.getDefault().getSupportedSSLParameters();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> checked(String what, String[] supported, String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("no " + what);
        }
        for (String name : names) {
            if (!List.of(supported).contains(name)) {
                throw new IllegalArgumentException("no " + what + " of this JVM: " + name + "; it has "
                        + String.join(", ", supported));
            }
        }
        return List.of(names);
    }

    /** The name that a client asks the server for (SNI), and that the certificate has to be for, instead of its host. */
    public Tls serverName(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("the server name is blank");
        }
        return with(changed -> changed.serverName = name);
    }

    /**
     * Whether a client checks that the certificate is for the host that it connects to; true unless set. Without the check any
     * holder of a trusted certificate can stand between the client and the server.
     */
    public Tls verifyHost(boolean verify) {
        return with(changed -> changed.verifiesHost = verify);
    }

    /** Refuses a server without a certificate, and one that would trust the certificates of everybody's clients. */
    void requireCertificate() {
        if (context == null && !credentials.hasCertificate()) {
            throw new IllegalArgumentException("a server with TLS needs a certificate: set Tls.certificate(…) or keyStore(…)");
        }
        if (context == null && clientCertificate != ClientCertificate.NONE && !credentials.hasTrust()) {
            throw new IllegalArgumentException("client certificates are asked for, and nobody is trusted but the authorities of"
                    + " the web: set Tls.trust(…) or trustStore(…)");
        }
    }

    /** @throws IllegalArgumentException if a file cannot be read or used */
    synchronized TlsEngines engines() {
        TlsEngines made = engines;
        if (made == null) {
            Supplier<? extends SSLContext> from = context != null ? context : new CredentialFiles(credentials);
            made = new ContextEngines(from, protocols, ciphers, clientCertificate == ClientCertificate.WANTED,
                    clientCertificate == ClientCertificate.REQUIRED, serverName, verifiesHost);
            engines = made;
        }
        return made;
    }
}
