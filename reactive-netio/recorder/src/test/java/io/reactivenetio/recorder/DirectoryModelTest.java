// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Worlds of a user who does to a recording's files what users do, with a recorder that is killed at any time: whatever was
 * acknowledged and is still there is read, once and in order, nothing is told as missing that is there, and the directory can
 * always be opened. {@code -Drecorder.worlds=10000} runs more, {@code -Drecorder.world=SEED} one alone.
 */
class DirectoryModelTest {
    private static final long WORLDS = Long.getLong("recorder.worlds", 60);
    private static final Long ONE = Long.getLong("recorder.world");

    @TempDir
    Path directory;

    @Test
    void shouldKeepWhatWasAcknowledgedWhateverUsersDoToItsFiles() throws IOException {
        long first = ONE == null ? 1 : ONE;
        for (long seed = first; seed < first + (ONE == null ? WORLDS : 1); seed++) {
            Path at = Files.createDirectory(directory.resolve("world" + seed));
            DirectoryWorld.run(at, seed);
            DirectoryWorld.delete(at);
        }
    }
}
