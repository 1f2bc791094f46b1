// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Tls.ClientCertificate;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertStore;
import java.security.cert.CertificateFactory;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates that are not to be trusted: revoked ones, and chains that have no end. */
@Timeout(120)
class TlsTrustTest extends SecuredEnds {
    private static final String ALIAS = "signed";

    /** Shows the own certificate again and again, as if it had signed itself that often. */
    private static final class LongChain extends X509ExtendedKeyManager {
        private final X509Certificate[] chain;
        private final PrivateKey key;

        LongChain(KeyStore keys, String alias, int length) throws Exception {
            X509Certificate own = (X509Certificate) keys.getCertificate(alias);
            chain = Collections.nCopies(length, own).toArray(X509Certificate[]::new);
            key = (PrivateKey) keys.getKey(alias, TestCertificates.PASSWORD.toCharArray());
        }

        @Override
        public String[] getClientAliases(String type, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return ALIAS;
        }

        @Override
        public String chooseEngineClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return ALIAS;
        }

        @Override
        public String[] getServerAliases(String type, Principal @Nullable [] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String chooseServerAlias(String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return ALIAS;
        }

        @Override
        public @Nullable String chooseEngineServerAlias(String type, Principal @Nullable [] issuers,
                @Nullable SSLEngine engine) {
            return type.startsWith("EC") ? ALIAS : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.clone();
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }
    }

    private static KeyStore keys(TestCertificates of) throws Exception {
        return KeyStore.getInstance(of.keyStore().toFile(), TestCertificates.PASSWORD.toCharArray());
    }

    private static Tls showing(int length) throws Exception {
        TestCertificates own = TestCertificates.local();
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {new LongChain(keys(own), "local", length)}, trust(own.certificate(), null), null);
        return Tls.of(context);
    }

    /** Trusts {@code authority}, and nobody whom {@code revoked}, a list of revoked certificates, has. */
    private static TrustManager[] trust(Path authority, @Nullable Path revoked) throws Exception {
        CertificateFactory certificates = CertificateFactory.getInstance("X.509");
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(authority)) {
            trusted.setCertificateEntry("authority", certificates.generateCertificate(in));
        }
        PKIXBuilderParameters rules = new PKIXBuilderParameters(trusted, new X509CertSelector());
        rules.setRevocationEnabled(revoked != null);
        if (revoked != null) {
            try (InputStream in = Files.newInputStream(revoked)) {
                rules.addCertStore(CertStore.getInstance("Collection",
                        new CollectionCertStoreParameters(List.of(certificates.generateCRL(in)))));
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(new CertPathTrustManagerParameters(rules));
        return factory.getTrustManagers();
    }

    private static Tls asking(TestCertificates own, @Nullable Path revoked) throws Exception {
        KeyManagerFactory shown = KeyManagerFactory.getInstance("PKIX");
        KeyStore keys = keys(own);
        keys.deleteEntry("authority"); // else it may be the one that is shown
        shown.init(keys, TestCertificates.PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(shown.getKeyManagers(), trust(own.authority(), revoked), null);
        return Tls.of(context);
    }

    @Test
    void shouldRefuseWhoseCertificateIsRevoked() throws Exception {
        TestCertificates own = TestCertificates.signed(ALIAS, TestCertificates.LOCAL);
        DisposableServer server = bound(server(as(own)));
        client(server).secure(asking(own, null)).connectNow(PATIENCE).dispose();
        client(server).secure(asking(own, own.revoking("77"))).connectNow(PATIENCE).dispose();
        String serial = ((X509Certificate) keys(own).getCertificate(ALIAS)).getSerialNumber().toString();
        Path revoked = own.revoking(serial);
        assertRefused(client(server).secure(asking(own, revoked)), NetioException.class, "revoked");

        accepted.clear();
        DisposableServer strict = bound(server(asking(own, revoked).clientCertificate(ClientCertificate.REQUIRED)));
        assertRefused(client(strict).secure(asking(own, null)), NetioException.class, "certificate");
        assertThat(accepted).isEmpty();
        DisposableServer lenient = bound(server(asking(own, own.revoking("77")).clientCertificate(ClientCertificate.REQUIRED)));
        client(lenient).secure(asking(own, null)).connectNow(PATIENCE).dispose();
    }

    /** The JDK takes no chain of more than 10, or 8 of a client, and no handshake message of more than 32 KiB. */
    @ParameterizedTest
    @ValueSource(ints = {11, 100, 1_000})
    void shouldRefuseAChainThatIsTooLong(int length) throws Exception {
        DisposableServer server = bound(server(showing(length)));
        assertRefused(client(server).secure(trusting(TestCertificates.local())), NetioException.class, "TLS");

        accepted.clear();
        DisposableServer asking = bound(server(as(TestCertificates.local()).trust(TestCertificates.local().certificate())
                .clientCertificate(ClientCertificate.REQUIRED)));
        assertRefused(client(asking).secure(showing(length)), NetioException.class, "TLS");
        assertThat(accepted).isEmpty();
        client(asking).secure(as(TestCertificates.local()).trust(TestCertificates.local().certificate())).connectNow(PATIENCE)
                .dispose();
    }

    private NetioServer server(Tls tls) {
        return server().secure(tls);
    }
}
