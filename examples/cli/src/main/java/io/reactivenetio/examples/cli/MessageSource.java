// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Scheduler;

/** A file or stdin in pieces of one size, read as they are asked for. */
final class MessageSource implements AutoCloseable {
    private final String name;
    private final boolean file;
    private final ReadableByteChannel channel;
    private final Tally tally;
    private final ByteBuffer buffer;

    private MessageSource(String name, boolean file, ReadableByteChannel channel, int messageSize, Tally tally) {
        this.name = name;
        this.file = file;
        this.channel = channel;
        this.tally = tally;
        this.buffer = ByteBuffer.allocate(messageSize);
    }

    /** Opens a file, or stdin if the name is "-". */
    static MessageSource open(String name, int messageSize, Tally tally) {
        if (name.equals("-")) {
            return new MessageSource("stdin", false, new FileInputStream(FileDescriptor.in).getChannel(), messageSize, tally);
        }
        try {
            Path path = Path.of(name);
            if (Files.isDirectory(path)) {
                throw new IOException("it is a directory");
            }
            return new MessageSource(name, Files.isRegularFile(path), FileChannel.open(path), messageSize, tally);
        } catch (IOException | InvalidPathException e) {
            throw CliException.failure("cannot read " + name + ": " + Problems.reason(e), e);
        }
    }

    /** All of it, read on {@code worker}. Every element is the same buffer: whoever gets it copies it at once, as send does. */
    Flux<ByteBuffer> messages(Scheduler worker) {
        return Flux.generate(this::next).subscribeOn(worker);
    }

    private void next(SynchronousSink<ByteBuffer> sink) {
        buffer.clear();
        boolean last;
        try {
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // a pipe gives what it has; only the last message is short
            }
            last = atEnd();
        } catch (IOException e) {
            sink.error(CliException.failure("cannot read " + name + ": " + Problems.reason(e), e));
            return;
        }
        buffer.flip();
        if (buffer.hasRemaining()) {
            tally.add(buffer);
            sink.next(buffer);
        }
        if (last) {
            sink.complete();
        }
    }

    /** Whether it is known, without waiting, that nothing follows. The last message and the end then need no second request. */
    private boolean atEnd() throws IOException {
        return buffer.hasRemaining() || file && channel instanceof FileChannel f && f.position() >= f.size();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
