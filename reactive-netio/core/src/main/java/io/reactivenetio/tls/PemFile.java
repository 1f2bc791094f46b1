// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/** A file with certificates or with a private key, as text between lines that say what it is (RFC 7468). */
record PemFile(Path path) {
    private static final Pattern KEY = Pattern.compile("-----BEGIN ([A-Z ]*PRIVATE KEY)-----([^-]*)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS");

    /**
     * Reads all certificates, in their order.
     *
     * @throws IOException if it cannot be read
     * @throws GeneralSecurityException if it has no certificate, or one that means nothing
     */
    X509Certificate[] certificates() throws IOException, GeneralSecurityException {
        X509Certificate[] all = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(path))).toArray(X509Certificate[]::new);
        if (all.length == 0) {
            throw new GeneralSecurityException("no certificate in it; it has to begin with -----BEGIN CERTIFICATE-----");
        }
        return all;
    }

    /**
     * Reads the private key.
     *
     * @param password null if the key is not encrypted
     * @throws IOException if it cannot be read
     * @throws GeneralSecurityException if it has no key in the format PKCS #8, or the password is another
     */
    PrivateKey privateKey(@Nullable String password) throws IOException, GeneralSecurityException {
        Matcher block = KEY.matcher(Files.readString(path, StandardCharsets.ISO_8859_1));
        if (!block.find()) {
            throw new GeneralSecurityException("no private key in it; it has to begin with -----BEGIN PRIVATE KEY-----");
        }
        byte[] bytes;
        try {
            bytes = Base64.getMimeDecoder().decode(block.group(2));
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("its private key is no base64", e);
        }
        return switch (block.group(1)) {
            case "PRIVATE KEY" -> decode(new PKCS8EncodedKeySpec(bytes));
            case "ENCRYPTED PRIVATE KEY" -> decode(decrypt(bytes, password));
            default -> throw new GeneralSecurityException("it has a key as " + block.group(1)
                    + "; convert it: openssl pkcs8 -topk8 -nodes -in " + path);
        };
    }

    private static PKCS8EncodedKeySpec decrypt(byte[] bytes, @Nullable String password)
            throws IOException, GeneralSecurityException {
        if (password == null) {
            throw new GeneralSecurityException("its private key is encrypted, and there is no password");
        }
        EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(bytes);
        String algorithm = encrypted.getAlgParameters() == null ? encrypted.getAlgName()
                : encrypted.getAlgParameters().toString(); // PBES2 names what is within
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(Cipher.DECRYPT_MODE, SecretKeyFactory.getInstance(algorithm)
                .generateSecret(new PBEKeySpec(password.toCharArray())), encrypted.getAlgParameters());
        return encrypted.getKeySpec(cipher);
    }

    private static PrivateKey decode(PKCS8EncodedKeySpec key) throws GeneralSecurityException {
        InvalidKeySpecException last = null;
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(key);
            } catch (InvalidKeySpecException e) { // it is of another algorithm
                last = e;
            }
        }
        throw new GeneralSecurityException("its private key is of none of the algorithms " + ALGORITHMS, last);
    }
}
