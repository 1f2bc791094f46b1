// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.testing.TestCertificates;
import java.nio.file.Path;
import java.util.List;

/**
 * A key for this machine with its certificate, which last as long as the command and its workers.
 *
 * @param chain the certificate in PEM
 * @param key in PEM
 */
record Certificate(Path chain, Path key) {
    private static final String CHAIN = "io.reactivenetio.peers.chain";
    private static final String KEY = "io.reactivenetio.peers.key";

    /** Returns that of the process which has started this one, or else a new one. */
    static synchronized Certificate present() {
        if (System.getProperty(CHAIN) == null) {
            TestCertificates made = TestCertificates.local();
            System.setProperty(CHAIN, made.certificate().toString());
            System.setProperty(KEY, made.key().toString());
        }
        return new Certificate(Path.of(System.getProperty(CHAIN)), Path.of(System.getProperty(KEY)));
    }

    /** Returns what a worker has to be told to have the same; nothing if there is none. */
    static List<String> options() {
        return System.getProperty(CHAIN) == null ? List.of()
                : List.of("-D" + CHAIN + "=" + System.getProperty(CHAIN), "-D" + KEY + "=" + System.getProperty(KEY));
    }
}
