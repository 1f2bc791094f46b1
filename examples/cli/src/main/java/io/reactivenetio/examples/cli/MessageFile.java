// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Where recv writes to: a file, stdout, or nowhere. */
final class MessageFile implements AutoCloseable {
    static final String STDOUT = "-";

    private final String name;
    private final @Nullable WritableByteChannel channel;

    private MessageFile(String name, @Nullable WritableByteChannel channel) {
        this.name = name;
        this.channel = channel;
    }

    /** Creates or empties a file; "-" is stdout, null nowhere. */
    static MessageFile open(@Nullable String name) {
        if (name == null) {
            return new MessageFile("nowhere", null);
        }
        if (name.equals(STDOUT)) {
            return new MessageFile("stdout", new FileOutputStream(FileDescriptor.out).getChannel());
        }
        try {
            return new MessageFile(name, FileChannel.open(Path.of(name), StandardOpenOption.WRITE, StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING));
        } catch (IOException | InvalidPathException e) {
            throw CliException.failure("cannot write " + name + ": " + Problems.reason(e), e);
        }
    }

    void write(ByteBuffer message) {
        WritableByteChannel to = channel;
        try {
            while (to != null && message.hasRemaining()) {
                to.write(message);
            }
        } catch (IOException e) {
            throw CliException.failure("cannot write " + name + ": " + Problems.reason(e), e);
        }
    }

    @Override
    public void close() {
        WritableByteChannel to = channel;
        try {
            if (to != null) {
                to.close();
            }
        } catch (IOException e) {
            throw CliException.failure("cannot write " + name + ": " + Problems.reason(e), e);
        }
    }
}
