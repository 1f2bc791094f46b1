// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/** Files to send. */
final class TestFiles {
    /** Bytes, more than what a stream or a queue holds on the way. */
    static final int BIG = TestSettings.scaled(20_000_003);

    private TestFiles() {
    }

    /** {@code size} bytes that differ from one place to the next, the same in every run. */
    static Path create(Path directory, int size) throws IOException {
        Path file = directory.resolve(size + ".bin");
        byte[] block = new byte[1 << 20];
        Random random = new Random(size);
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int left = size; left > 0; left -= block.length) {
                random.nextBytes(block);
                out.write(block, 0, Math.min(left, block.length));
            }
        }
        return file;
    }

    static String sha256(Path file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (OutputStream to = new java.security.DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
                Files.copy(file, to);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
