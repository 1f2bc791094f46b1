// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A user of a {@link DirectoryWorld}, who does to the files of a recording what users do. */
final class DirectoryUser {
    private interface Action {
        void run() throws IOException;
    }

    private final DirectoryWorld world;
    private final Path elsewhere;
    private final Map<Path, Path> away = new HashMap<>();
    private final List<Path> keptIndexes = new ArrayList<>();
    private int files;
    private @Nullable Path cutWhileWritten;

    DirectoryUser(DirectoryWorld world, Path elsewhere) {
        this.world = world;
        this.elsewhere = elsewhere;
    }

    /** What is away is of a recording that is no more. */
    void restarted() {
        away.clear();
    }

    private @Nullable Path anySegment() throws IOException {
        List<Path> all = Recovery.files(world.directory).stream().filter(world.model.files()::contains).toList();
        return all.isEmpty() ? null : all.get(world.random.nextBoolean() ? all.size() - 1 : world.random.nextInt(all.size()));
    }

    private boolean isGrowing(Path file) {
        return world.writer != null && file.equals(world.writer.growing());
    }

    /** Does one thing. */
    void step() throws IOException {
        Path file = anySegment();
        if (file == null) {
            return;
        }
        Path index = Format.index(file);
        String name = file.getFileName() + (isGrowing(file) ? ", which grows" : "");
        List<Action> actions = List.of(
                () -> delete(file, name), () -> moveAway(file, name), this::putBack, () -> cut(file, name),
                () -> grow(file, name), () -> copy(file, name), () -> link(file, name),
                () -> deleteIndex(index), () -> keepIndex(index), () -> useKeptIndex(index), () -> spoilIndex(index),
                this::copyLock, this::copyLock, this::deleteLock, this::deleteAllButIndexes);
        actions.get(world.random.nextInt(actions.size())).run();
    }

    private void gone(Path file, long left) {
        if (isGrowing(file)) {
            world.model.mustBeTold(file, left);
        }
        world.model.gone(file, left);
    }

    private void delete(Path file, String name) throws IOException {
        world.say("deletes " + name);
        gone(file, 0);
        world.model.forget(file);
        Files.delete(file);
        if (world.random.nextBoolean()) {
            deleteIndex(Format.index(file));
        }
    }

    private void moveAway(Path file, String name) throws IOException {
        if (Files.isSymbolicLink(file)) {
            return;
        }
        world.say("moves " + name + " away");
        boolean returns = !isGrowing(file);
        if (!returns) {
            gone(file, 0);
        }
        world.model.away(file);
        Path to = elsewhere.resolve(files++ + "-" + file.getFileName());
        Files.move(file, to);
        if (returns) {
            away.put(file, to);
        }
        if (world.random.nextBoolean()) {
            deleteIndex(Format.index(file));
        }
    }

    /** Puts back all that was moved away. */
    void putBack() throws IOException {
        for (Map.Entry<Path, Path> each : Map.copyOf(away).entrySet()) {
            world.say("puts " + each.getKey().getFileName() + " back");
            DirectoryWorld.check(Files.notExists(each.getKey()), "another segment has the number of " + each.getKey());
            Files.move(each.getValue(), each.getKey());
            world.model.back(each.getKey());
            away.remove(each.getKey());
        }
    }

    private void cut(Path file, String name) throws IOException {
        long left = world.random.nextLong(Files.size(file));
        world.say("cuts " + name + " to " + left);
        gone(file, left);
        cutWhileWritten = isGrowing(file) ? file : cutWhileWritten;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(left);
        }
    }

    private void grow(Path file, String name) throws IOException {
        if (file.equals(cutWhileWritten)) {
            return; // cut, and as long as before again: the recorder looks at its length only
        }
        byte[] more = new byte[world.random.nextInt(9_000)];
        if (world.random.nextBoolean()) {
            world.random.nextBytes(more);
        }
        world.say("appends " + more.length + " bytes to " + name);
        Files.write(file, more, StandardOpenOption.APPEND);
    }

    /** As a restored backup, or an editor: another file of the same name. */
    private void copy(Path file, String name) throws IOException {
        if (isGrowing(file)) {
            return; // what is written behind that is not in the copy
        }
        world.say("copies " + name);
        Path to = elsewhere.resolve("copy" + files++);
        Files.copy(file, to);
        Files.move(to, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private void link(Path file, String name) throws IOException {
        Path to = elsewhere.resolve("link" + files++);
        if (world.random.nextBoolean() || Files.isSymbolicLink(file)) {
            world.say("makes a hard link to " + name);
            Files.createLink(to, file);
        } else {
            world.say("makes " + name + " a symbolic link");
            Files.move(file, to);
            Files.createSymbolicLink(file, to);
        }
    }

    private void deleteIndex(Path index) throws IOException {
        if (Files.isRegularFile(index)) {
            world.say("deletes " + index.getFileName());
            Files.delete(index);
        }
    }

    private void keepIndex(Path index) throws IOException {
        if (Files.isRegularFile(index)) {
            world.say("keeps " + index.getFileName());
            Path to = elsewhere.resolve("index" + files++);
            Files.copy(index, to);
            keptIndexes.add(to);
        }
    }

    private void useKeptIndex(Path index) throws IOException {
        if (!keptIndexes.isEmpty() && !Files.isDirectory(index)) {
            world.say("puts a former index in the place of " + index.getFileName());
            Files.copy(keptIndexes.get(world.random.nextInt(keptIndexes.size())), index, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void spoilIndex(Path index) throws IOException {
        if (Files.isDirectory(index)) {
            return;
        }
        world.say("spoils " + index.getFileName());
        switch (world.random.nextInt(4)) {
            case 0 -> {
                Files.deleteIfExists(index);
                Files.createDirectory(index);
            }
            case 1 -> {
                try (FileChannel huge = FileChannel.open(index, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                    huge.write(ByteBuffer.allocate(1), 3L << 30);
                }
            }
            default -> Files.write(index, new byte[world.random.nextInt(300)]);
        }
    }

    /** Whoever copies it within the process closes a descriptor of it. */
    private void copyLock() {
        world.say("copies the lock: the system forgets it");
        world.locks.clear();
    }

    /** As one does to begin anew: what is recorded from then on is another recording, with numbers from 1 on. */
    private void deleteAllButIndexes() throws IOException {
        if (world.writer == null) {
            world.say("deletes all segments and the lock");
            for (Path file : Recovery.files(world.directory)) {
                Files.delete(file);
            }
            Files.deleteIfExists(world.directory.resolve(Format.LOCK));
            world.locks.clear();
            world.model.restarted();
            away.clear();
        }
    }

    private void deleteLock() throws IOException {
        if (Files.exists(world.directory.resolve(Format.LOCK)) && world.writer != null) {
            world.say("deletes the lock");
            Files.delete(world.directory.resolve(Format.LOCK));
            world.locks.clear(); // another file has another lock
            world.tick();
        }
    }
}
