// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A key for this machine with its certificate, in PEM files that last as long as this JVM and its workers. keytool of the JDK
 * makes them.
 */
record Certificate(Path folder) {
    private static final String FOLDER = "io.reactivenetio.peers.certificate";
    private static final String PASSWORD = "not a secret";
    private static final String NAME = "peers";

    /** Returns that of the process which has started this one, or else a new one. */
    static synchronized Certificate present() {
        String made = System.getProperty(FOLDER);
        if (made == null) {
            made = make().toString();
            System.setProperty(FOLDER, made);
        }
        return new Certificate(Path.of(made));
    }

    /** Returns what a worker has to be told to have the same; nothing if there is none. */
    static List<String> options() {
        String made = System.getProperty(FOLDER);
        return made == null ? List.of() : List.of("-D" + FOLDER + "=" + made);
    }

    Path chain() {
        return folder.resolve("own.pem");
    }

    Path key() {
        return folder.resolve("own.key");
    }

    File chainFile() {
        return chain().toFile();
    }

    File keyFile() {
        return key().toFile();
    }

    private static Path make() {
        try {
            Path folder = Files.createTempDirectory("netio-peers");
            folder.toFile().deleteOnExit();
            Path store = folder.resolve("own.p12");
            Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair", "-alias", NAME, "-keyalg", "EC", "-dname", "CN=" + NAME, "-ext",
                    "san=dns:localhost,ip:" + Loopback.ADDRESS, "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore",
                    store.toString()).redirectErrorStream(true).start();
            String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new IllegalStateException("keytool: " + said);
            }
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            Files.delete(store);
            Certificate made = new Certificate(folder);
            write(made.chain(), "CERTIFICATE", keys.getCertificate(NAME).getEncoded());
            write(made.key(), "PRIVATE KEY", keys.getKey(NAME, PASSWORD.toCharArray()).getEncoded());
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void write(Path file, String what, byte[] bytes) throws IOException {
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes)
                + "\n-----END " + what + "-----\n");
        file.toFile().deleteOnExit();
    }
}
