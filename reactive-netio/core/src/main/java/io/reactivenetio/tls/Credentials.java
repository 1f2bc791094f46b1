// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStore.PasswordProtection;
import java.security.KeyStore.PrivateKeyEntry;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.crypto.spec.PBEParameterSpec;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The files that say who this side is, and whom it trusts.
 *
 * @param chain certificates in PEM, this side's first; null if there are none, or they are in a key store
 * @param key the private key in PEM; null as that of chain
 * @param keyStore what has chain and key instead; null if there is none
 * @param keyPassword of the key or the key store; null for none
 * @param trust certificates in PEM that are trusted; null for the JVM's, or those of a trust store
 * @param trustStore what has the certificates that are trusted; null if there is none
 * @param trustPassword of the trust store; null for none
 */
public record Credentials(@Nullable Path chain, @Nullable Path key, @Nullable Path keyStore, @Nullable String keyPassword,
        @Nullable Path trust, @Nullable Path trustStore, @Nullable String trustPassword) {
    public static final Credentials NONE = new Credentials(null, null, null, null, null, null, null);
    private static final char[] NO_PASSWORD = new char[0];
    /** How a key is kept in a store that never leaves this JVM. The default of 10,000 rounds takes longer than a handshake. */
    private static final String PROTECTION = "PBEWithHmacSHA256AndAES_256";

    public Credentials withChain(Path file, Path keyFile, @Nullable String password) {
        return new Credentials(file, keyFile, null, password, trust, trustStore, trustPassword);
    }

    public Credentials withKeyStore(Path file, @Nullable String password) {
        return new Credentials(null, null, file, password, trust, trustStore, trustPassword);
    }

    public Credentials withTrust(Path file) {
        return new Credentials(chain, key, keyStore, keyPassword, file, null, null);
    }

    public Credentials withTrustStore(Path file, @Nullable String password) {
        return new Credentials(chain, key, keyStore, keyPassword, null, file, password);
    }

    /** Whether this side can say who it is. */
    public boolean hasCertificate() {
        return chain != null || keyStore != null;
    }

    /** Whether this side trusts others than those whom the JVM trusts. */
    public boolean hasTrust() {
        return trust != null || trustStore != null;
    }

    List<Path> files() {
        List<Path> files = new ArrayList<>();
        for (Path file : new Path[] {chain, key, keyStore, trust, trustStore}) {
            if (file != null) {
                files.add(file);
            }
        }
        return files;
    }

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if one cannot be read or used; says which and why
     */
    SSLContext load() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(), trusted(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS cannot be used with these keys and certificates: " + e.getMessage(), e);
        }
    }

    private KeyManager @Nullable [] keys() throws GeneralSecurityException {
        if (!hasCertificate()) {
            return null;
        }
        char[] password = keyPassword == null ? NO_PASSWORD : keyPassword.toCharArray();
        KeyStore store;
        if (keyStore != null) {
            store = read(keyStore, file -> KeyStore.getInstance(file.toFile(), password));
        } else {
            Path chainFile = Objects.requireNonNull(chain);
            Path keyFile = Objects.requireNonNull(key);
            store = empty();
            X509Certificate[] certificates = read(chainFile, file -> new PemFile(file).certificates());
            PrivateKey own = read(keyFile, file -> new PemFile(file).privateKey(keyPassword));
            store.setEntry("own", new PrivateKeyEntry(own, certificates), new PasswordProtection(password, PROTECTION,
                    new PBEParameterSpec(new byte[16], 1)));
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, password);
        return factory.getKeyManagers();
    }

    private TrustManager @Nullable [] trusted() throws GeneralSecurityException {
        KeyStore store;
        if (trustStore != null) {
            char[] password = trustPassword == null ? null : trustPassword.toCharArray();
            store = read(trustStore, file -> KeyStore.getInstance(file.toFile(), password));
        } else if (trust != null) {
            store = empty();
            X509Certificate[] certificates = read(trust, file -> new PemFile(file).certificates());
            for (int i = 0; i < certificates.length; i++) {
                store.setCertificateEntry("trusted" + i, certificates[i]);
            }
        } else {
            return null;
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
        return store;
    }

    @FunctionalInterface
    private interface Reader<T> {
        T read(Path file) throws IOException, GeneralSecurityException;
    }

    private static <T> T read(Path file, Reader<T> reader) {
        try {
            return reader.read(file);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read: " + e, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(file + " cannot be used: " + e.getMessage(), e);
        }
    }
}
