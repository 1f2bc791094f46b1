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
    /** A file that has changed within this time may be written still, and its time need not change once more. */
    private static final long SETTLED_MILLIS = 2_000;

    private final Credentials credentials;
    private SSLContext context;
    private List<FileTime> times;
    private boolean settled;
    private long looked = System.nanoTime();

    /** @throws IllegalArgumentException if a file cannot be read or used; says which and why */
    public CredentialFiles(Credentials credentials) {
        this.credentials = credentials;
        times = times();
        settled = isSettled(times);
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
            if (!found.equals(times) || !settled) {
                reload(found);
            }
        }
        return context;
    }

    private void reload(List<FileTime> found) {
        boolean changed = !found.equals(times);
        times = found;
        settled = isSettled(found);
        try {
            context = credentials.load();
            if (changed) {
                LOG.info("keys and certificates were read again, for new connections: {}", credentials.files());
            }
        } catch (IllegalArgumentException e) {
            if (changed) {
                LOG.warn("keys or certificates have changed and cannot be used, the former ones stay: {}", e.getMessage());
            }
        }
    }

    private static boolean isSettled(List<FileTime> found) {
        long recent = System.currentTimeMillis() - SETTLED_MILLIS;
        return found.stream().allMatch(time -> time.toMillis() < recent);
    }
}
