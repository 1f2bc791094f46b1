// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.messages;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogTest {
    private static final RecorderOptions SMALL = RecorderOptions.defaults().linger(Duration.ZERO).segmentBytes(8192)
            .blockBytes(4096);

    private final FileTime anHourAgo = FileTime.from(Instant.now().minusSeconds(3600));

    @TempDir
    Path directory;

    private static long first(Catalog catalog) {
        return catalog.streams().getFirst().runs().getFirst().first();
    }

    private void age() throws IOException {
        Files.setLastModifiedTime(directory, anHourAgo);
    }

    /** A directory of thousands of segments is not listed again and again while nothing happens there. */
    @Test
    void shouldListADirectoryAgainOnlyWhenItHasChanged() throws IOException {
        Events.record(directory, SMALL, messages(0, 2000));
        AtomicLong nanos = new AtomicLong();
        Catalog catalog = new Catalog(directory, nanos::get);
        age();
        catalog.refresh(true);
        nanos.set(Duration.ofSeconds(3).toNanos());
        Path oldest = Recovery.files(directory).getFirst();
        Files.delete(oldest);
        age(); // as if nothing had happened
        catalog.refresh(true);
        assertThat(first(catalog)).isZero();
        Files.deleteIfExists(Format.index(oldest)); // the directory has another time
        catalog.refresh(true);
        long left = first(catalog);
        assertThat(left).isPositive();
        Files.delete(Recovery.files(directory).getFirst()); // changed within the exactness of that time
        catalog.refresh(true);
        assertThat(first(catalog)).isGreaterThan(left);
    }

    /** What was the last segment is read on, and those that follow, whatever their numbers. */
    @Test
    void shouldReadWhatComesAfterwards() throws IOException {
        Events.record(directory, SMALL, messages(0, 100));
        Catalog catalog = new Catalog(directory);
        Events.record(directory, SMALL, messages(100, 300));
        assertThat(catalog.refresh(true)).containsExactly(TAG);
        assertThat(catalog.refresh(true)).isEmpty();
        assertThat(catalog.streams().getFirst().runs().getFirst().last()).isEqualTo(299);
    }
}
