// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Sends a file of 5 MB in messages of 64 KiB and writes it to another file at the other end. Reading and writing block, so
 * they have threads of their own, {@code subscribeOn} and {@code publishOn}. The loop never waits for a disk, and the file is
 * read only as fast as the other end writes. Try {@code publishOn} with another number, which is how many messages wait in
 * memory there at most. Or try a FIFO in place of a file.
 */
public final class FileBridge {
    private static final int PIECE = 64 << 10;
    private static final int SIZE = 5_000_000;

    private FileBridge() {
    }

    // docs
    static Flux<ByteBuffer> read(Path file) {
        return Flux.<ByteBuffer, InputStream>generate(() -> Files.newInputStream(file), (in, sink) -> {
            byte[] piece = unchecked(() -> in.readNBytes(PIECE));
            if (piece.length == 0) {
                sink.complete();
            } else {
                sink.next(ByteBuffer.wrap(piece));
            }
            return in;
        }, in -> unchecked(() -> {
            in.close();
            return in;
        })).subscribeOn(Schedulers.boundedElastic());
    }

    static <T> T unchecked(Callable<T> work) {
        try {
            return work.call();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Prints how much was sent, and whether the copy is the same. */
    public static void main(String... args) throws IOException {
        byte[] noise = new byte[SIZE];
        new Random(1).nextBytes(noise);
        Path file = Files.write(Files.createTempFile("bridge", ".in"), noise);
        Path copy = Files.createTempFile("bridge", ".out");
        var server = NetioServer.create().backend(Backend.chosen()).handle((in, out) -> out.send(read(file))).bindNow();
        var connection = NetioClient.create().backend(Backend.chosen()).port(server.port()).connectNow();
        try (OutputStream out = Files.newOutputStream(copy)) {
            connection.receive().publishOn(Schedulers.boundedElastic(), 16)
                    .doOnNext(piece -> unchecked(() -> {
                        out.write(piece.array(), piece.arrayOffset(), piece.remaining());
                        return out;
                    })).count().doOnNext(messages -> System.out.println(messages + " messages"))
                    .block(Duration.ofSeconds(20));
        }
        System.out.println(Files.size(copy) + " bytes, the copy is the same: " + (Files.mismatch(file, copy) == -1));
        server.dispose();
        Files.delete(file);
        Files.delete(copy);
    }
    // docs end
}
