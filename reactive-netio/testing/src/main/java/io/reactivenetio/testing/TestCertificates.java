// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Security;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A key with a certificate, which it has signed itself or an authority has, in files that last as long as this JVM. keytool of
 * the JDK makes them.
 *
 * @param certificate in PEM
 * @param key in PEM, not encrypted
 * @param keyStore both, as PKCS #12, with the password {@value #PASSWORD}
 * @param authority the certificate in PEM that others have to trust
 */
public record TestCertificates(Path certificate, Path key, Path keyStore, Path authority) {
    public static final String PASSWORD = "secret";
    /** The name and address of this machine, as tests connect to it. */
    public static final String LOCAL = "dns:localhost,ip:127.0.0.1,ip:" + TestSettings.ADDRESS;

    static {
        // Before the first connection of this JVM: keys are renewed after 4 MiB, and not after 128 GiB.
        Security.setProperty("jdk.tls.keyLimits", "AES/GCM/NoPadding KeyUpdate 2^22, ChaCha20-Poly1305 KeyUpdate 2^22");
    }

    /** Have keytool hash a password once instead of 10,000 times, which whoever reads the key store has to do, too. */
    private static final List<String> ONE_ROUND = Stream.of("keyPbe", "certPbe", "mac")
            .map(what -> "-J-Dkeystore.pkcs12." + what + "IterationCount=1").toList();
    private static final ConcurrentHashMap<String, TestCertificates> MADE = new ConcurrentHashMap<>();

    /** One for {@link #LOCAL}, the same for all who ask. */
    public static TestCertificates local() {
        return of("local", LOCAL);
    }

    /** One for {@code names}, such as {@code dns:example.org}, the same for all who ask with the same arguments. */
    public static TestCertificates of(String name, String names, String... options) {
        return MADE.computeIfAbsent(name + names + String.join(",", options), key -> make(name, names, options));
    }

    /** One for {@code names} that an authority of its own has signed. */
    public static TestCertificates signed(String name, String names, String... options) {
        List<String> all = new ArrayList<>(List.of("-signer", "authority"));
        all.addAll(List.of(options));
        return of(name, names, all.toArray(String[]::new));
    }

    private static TestCertificates make(String name, String names, String... options) {
        try {
            Path folder = Files.createTempDirectory("netio-certificates");
            Path store = folder.resolve("keys.p12");
            boolean signed = List.of(options).contains("-signer");
            if (signed) {
                generate(store, "authority", "-ext", "bc:c", "-validity", "30");
            }
            List<String> all = new ArrayList<>(List.of("-ext", "san=" + names));
            all.addAll(List.of(options));
            generate(store, name, all.toArray(String[]::new));
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            Path own = write(folder.resolve("own.pem"), "CERTIFICATE", keys.getCertificate(name).getEncoded());
            for (Path file : List.of(own, folder.resolve("own.key"), store, folder.resolve("authority.pem"), folder)) {
                file.toFile().deleteOnExit();
            }
            return new TestCertificates(own,
                    write(folder.resolve("own.key"), "PRIVATE KEY", keys.getKey(name, PASSWORD.toCharArray()).getEncoded()),
                    store, !signed ? own : write(folder.resolve("authority.pem"), "CERTIFICATE",
                            keys.getCertificate("authority").getEncoded()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void generate(Path store, String name, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("-genkeypair", "-alias", name, "-keyalg", "EC", "-groupname",
                "secp256r1", "-dname", "CN=" + name, "-storetype", "PKCS12"));
        command.addAll(List.of(options));
        keytool(store, command);
    }

    private static void keytool(Path store, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(ONE_ROUND);
        command.addAll(options);
        command.addAll(List.of("-storepass", PASSWORD, "-keystore", store.toString()));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IllegalStateException(command + ": " + said);
        }
    }

    private static Path write(Path file, String what, byte[] bytes) throws IOException {
        return Files.writeString(file, "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes)
                + "\n-----END " + what + "-----\n");
    }

    /** Returns a list of the authority that has {@linkplain #signed signed} this, in a file. It revokes {@code serial}. */
    public Path revoking(String serial) throws IOException, InterruptedException {
        Path list = Files.createTempFile("netio-revoked", ".crl");
        list.toFile().deleteOnExit();
        keytool(keyStore, List.of("-gencrl", "-alias", "authority", "-id", serial, "-file", list.toString()));
        return list;
    }

    /** Overwrites the files of this with those of {@code other}, at a later time than before. */
    public void becomes(TestCertificates other) throws IOException {
        Files.write(certificate, Files.readAllBytes(other.certificate));
        Files.write(key, Files.readAllBytes(other.key));
        Files.write(keyStore, Files.readAllBytes(other.keyStore));
    }
}
