// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The context of {@link Credentials}, made anew when their files have changed. It looks once a second at most, when it is asked.
 * If files have changed and cannot be used, which the log says, the former context goes on. Any thread.
 */
public final class CredentialFiles implements Supplier<SSLContext> {
    private static final Logger LOG = LoggerFactory.getLogger(CredentialFiles.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Credentials credentials;
    private SSLContext context;
    private List<FileTime> times;
    private long looked = System.nanoTime();

    /** @throws IllegalArgumentException if a file cannot be read or used; says which and why */
    public CredentialFiles(Credentials credentials) {
        this.credentials = credentials;
        times = times();
        context = credentials.load();
    }

    private List<FileTime> times() {
        List<FileTime> all = new ArrayList<>();
        for (Path file : credentials.files()) {
            try {
                all.add(Files.getLastModifiedTime(file));
            } catch (IOException e) {
                all.add(FileTime.fromMillis(0)); // reading it says why
            }
        }
        return all;
    }

    @Override
    public synchronized SSLContext get() {
        long now = System.nanoTime();
        if (now - looked >= LOOK_NANOS) {
            looked = now;
            List<FileTime> found = times();
            if (!found.equals(times)) {
                times = found;
                reload();
            }
        }
        return context;
    }

    private void reload() {
        try {
            context = credentials.load();
            LOG.info("keys and certificates were read again, for new connections: {}", credentials.files());
        } catch (IllegalArgumentException e) {
            LOG.warn("keys or certificates have changed and cannot be used, the former ones stay: {}", e.getMessage());
        }
    }
}
