// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What a recorder needs of the disk, so that tests can have one that is full. */
interface Disk {
    /** The disk itself. */
    Disk REAL = new Disk() {
        @Override
        public Output create(Path file) throws IOException {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return new Output() {
                @Override
                public void write(ByteBuffer bytes) throws IOException {
                    while (bytes.hasRemaining()) {
                        channel.write(bytes);
                    }
                }

                @Override
                public void cut(long size) throws IOException {
                    channel.truncate(size);
                    channel.position(size);
                }

                @Override
                public long size() throws IOException {
                    return channel.size();
                }

                @Override
                public void force() throws IOException {
                    channel.force(false);
                }

                @Override
                public void close() throws IOException {
                    channel.close();
                }
            };
        }

        @Override
        public long room(Path directory) throws IOException {
            return Files.getFileStore(directory).getUsableSpace();
        }

        @Override
        public void forceNames(Path directory) throws IOException {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    };

    /** A file that is written at its end. */
    interface Output extends AutoCloseable {
        /** Writes all that remains of {@code bytes}. If it fails, some of it may have been written. */
        void write(ByteBuffer bytes) throws IOException;

        /** Leaves only the first {@code size} bytes. */
        void cut(long size) throws IOException;

        /** How many bytes it has: fewer than were written if somebody has cut it. */
        long size() throws IOException;

        void force() throws IOException;

        @Override
        void close() throws IOException;
    }

    Output create(Path file) throws IOException;

    /** How many bytes can still be written. */
    long room(Path directory) throws IOException;

    /** Brings the names of new files to the disk. */
    void forceNames(Path directory) throws IOException;
}
