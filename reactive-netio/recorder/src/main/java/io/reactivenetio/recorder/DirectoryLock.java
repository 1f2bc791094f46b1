// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps other recorders out of a directory, those of this process and those of others.
 *
 * <p>The system takes all locks on a file away from a process that closes any of its descriptors of it, as whoever copies the
 * directory does. So the file says whose it is, too, and its owner writes there once per second. Whoever gets the system's lock
 * though the file has an owner that may live waits: if the file changes meanwhile, the owner lives. The owner locks the file anew
 * each time, one half after the other.
 */
final class DirectoryLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecorderOptions.LOGGER);

    /** How often the owner writes. */
    static final long BEAT = TimeUnit.SECONDS.toNanos(1);

    /** How long the file has to stay as it is, in ns. */
    private static final long PATIENCE = 3 * BEAT;
    private static final int LOOKS = 30;

    /** A file, as the system knows it, and the process that has locked it. */
    private record Held(SystemLock.Locker process, Object key) {
    }

    /** The files that are locked: none of these must be opened a second time. */
    private static final Set<Held> HELD = new HashSet<>();

    private final Path file;
    private final Held held;
    private final FileChannel channel;
    private final SystemLock system;
    private LockRecord record;
    private boolean refused;

    private DirectoryLock(Path file, Held held, FileChannel channel, SystemLock system, LockRecord record) {
        this.file = file;
        this.held = held;
        this.channel = channel;
        this.system = system;
        this.record = record;
    }

    /** Waits for a part of the time that an owner has to show that it lives. */
    interface Wait {
        void some(long nanos) throws InterruptedException;
    }

    /**
     * Takes it. If its owner may live, this takes three seconds.
     *
     * @throws NetioRecordingException IN_USE if another recorder has it
     */
    static DirectoryLock of(Path directory, Surroundings surroundings) throws IOException {
        Path file = directory.resolve(Format.LOCK);
        Held held;
        synchronized (HELD) {
            try {
                Files.createFile(file);
            } catch (FileAlreadyExistsException e) {
                // as a rule
            }
            held = new Held(surroundings.process(), key(file));
            if (!HELD.add(held)) {
                throw inUse(directory);
            }
        }
        DirectoryLock lock = null;
        try {
            lock = locked(directory, file, held, surroundings.patience());
            return lock;
        } finally {
            if (lock == null) {
                forget(held);
            }
        }
    }

    private static DirectoryLock locked(Path directory, Path file, Held held, Wait wait) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        DirectoryLock lock = null;
        try {
            SystemLock system = held.process.of(channel);
            if (!system.take(0) || !system.take(1) || isBeaten(channel, held.key, wait)) {
                throw inUse(directory);
            }
            LockRecord before = LockRecord.decode(read(channel));
            long owner = RandomGenerator.getDefault().nextLong() | 1;
            lock = new DirectoryLock(file, held, channel, system,
                    LockRecord.mine(owner, held.key, before == null ? 0 : before.highest()));
            lock.write(lock.record);
            return lock;
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
    }

    private static NetioRecordingException inUse(Path directory) {
        return new NetioRecordingException(Reason.IN_USE, "another recorder writes in " + directory + ": close it, or take"
                + " another directory");
    }

    /** Whether somebody writes to the file. */
    private static boolean isBeaten(FileChannel channel, Object key, Wait wait) throws IOException {
        ByteBuffer before = read(channel);
        LockRecord record = LockRecord.decode(before);
        if (before.limit() == 0 || record != null && record.isOver(key)) {
            return false;
        }
        try {
            for (int i = 0; i < LOOKS; i++) {
                wait.some(PATIENCE / LOOKS);
                if (!read(channel).equals(before)) {
                    return true;
                }
            }
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true; // nobody knows
        }
    }

    private static ByteBuffer read(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LockRecord.BYTES);
        int read = 0;
        while (bytes.hasRemaining() && read >= 0) {
            read = channel.read(bytes, bytes.position());
        }
        return bytes.flip();
    }

    /** A disk that is full or broken takes nothing from the system's lock, and is found to be so by whoever writes there. */
    private void write(LockRecord next) {
        record = next;
        try {
            ByteBuffer bytes = next.encode();
            while (bytes.hasRemaining()) {
                channel.write(bytes, bytes.position());
            }
        } catch (IOException e) {
            if (!refused) {
                LOG.warn("cannot write to {}: {}", file, e.toString());
            }
            refused = true;
        }
    }

    private static Object key(Path file) throws IOException {
        return Objects.requireNonNull(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
    }

    /**
     * Shows that the owner lives, and returns the lock that it has from now on: another one if the file was deleted, as others
     * can make one and lock that.
     *
     * @throws NetioRecordingException IN_USE if another recorder has it
     */
    DirectoryLock keep(Path directory, Surroundings surroundings) throws IOException {
        boolean isThere;
        try {
            isThere = held.key.equals(key(file));
        } catch (NoSuchFileException e) {
            isThere = false;
        }
        if (isThere) {
            beat(directory);
            return this;
        }
        DirectoryLock next = of(directory, surroundings);
        next.highest(record.highest());
        close();
        LOG.warn("the lock of {} was deleted, and is made again", directory);
        return next;
    }

    /** Locks the file anew, if somebody has closed it in this process. */
    private void beat(Path directory) throws IOException {
        LockRecord there = LockRecord.decode(read(channel));
        if (there != null && there.owner() != record.owner() && !there.isOver(held.key)) {
            throw inUse(directory);
        }
        write(record.beaten());
        system.take((int) (record.beat() & 1)); // if another one tries it just now, the next time
    }

    /** The highest number that a segment was given here. */
    int highest() {
        return record.highest();
    }

    /** Keeps the number of a segment that will be made. */
    void highest(int number) {
        write(record.withHighest(Math.max(number, record.highest())));
    }

    /** Gives it back as it is, as the end of a process does. */
    void abandon() throws IOException {
        channel.close();
        forget(held);
    }

    private static void forget(Held held) {
        synchronized (HELD) {
            HELD.remove(held);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            LockRecord there = LockRecord.decode(read(channel));
            if (there == null || there.owner() == record.owner()) {
                write(record.closed());
            }
        } finally {
            abandon();
        }
    }
}
