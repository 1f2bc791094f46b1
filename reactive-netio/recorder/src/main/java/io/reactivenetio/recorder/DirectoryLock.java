// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Keeps other recorders out of a directory, those of this process and those of others. */
final class DirectoryLock implements AutoCloseable {
    /**
     * The files that are locked by this process, by their keys in the file system. The system takes all locks on a file away from
     * a process that closes any of its descriptors of it, so none of these must be opened a second time.
     */
    private static final Set<Object> HELD = new HashSet<>();

    private final Path file;
    private final Object key;
    private final FileChannel channel;

    private DirectoryLock(Path file, Object key, FileChannel channel) {
        this.file = file;
        this.key = key;
        this.channel = channel;
    }

    /** @throws NetioRecordingException IN_USE if another recorder has it */
    static DirectoryLock of(Path directory) throws IOException {
        Path file = directory.resolve(Format.LOCK);
        synchronized (HELD) {
            try {
                Files.createFile(file);
            } catch (FileAlreadyExistsException e) {
                // as a rule
            }
            Object key = key(file);
            @Nullable FileChannel channel = HELD.contains(key) ? null : locked(file);
            if (channel == null) {
                throw new NetioRecordingException(Reason.IN_USE, "another recorder writes in " + directory + ": close it, or take"
                        + " another directory");
            }
            HELD.add(key);
            return new DirectoryLock(file, key, channel);
        }
    }

    private static @Nullable FileChannel locked(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        boolean isLocked = false;
        try {
            isLocked = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // a recorder of another class loader
        } finally {
            if (!isLocked) {
                channel.close();
            }
        }
        return isLocked ? channel : null;
    }

    private static Object key(Path file) throws IOException {
        return Objects.requireNonNull(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
    }

    /** Whether the file is still there: where it was deleted, another recorder can make one and lock that. */
    boolean isThere() throws IOException {
        try {
            return key.equals(key(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (HELD) {
            HELD.remove(key);
            channel.close();
        }
    }
}
