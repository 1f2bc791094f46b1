// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.jspecify.annotations.Nullable;

/** Writes the last sums to a file, at each checkpoint and at the end. */
record TotalsFile(String file) implements Sink<Totals> {
    @Override
    public SinkWriter<Totals> createWriter(WriterInitContext context) {
        return new Writer(Path.of(file));
    }

    private static final class Writer implements SinkWriter<Totals> {
        private final Path file;
        private @Nullable Totals last;

        Writer(Path file) {
            this.file = file;
        }

        @Override
        public void write(Totals totals, Context none) {
            last = totals;
        }

        @Override
        public void flush(boolean end) throws IOException {
            Totals totals = last;
            if (totals != null) {
                Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), totals.complete + "\n"
                        + totals.incomplete + "\n" + text(totals.built) + text(totals.late) + text(totals.missing)
                        + text(totals.gaps));
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            }
        }

        @Override
        public void close() {
        }
    }

    private static String text(long[] numbers) {
        return Arrays.stream(numbers).mapToObj(Long::toString).collect(Collectors.joining(" ", "", "\n"));
    }

    private static long[] numbers(String text) {
        return Arrays.stream(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    }

    /** What was written last, or nothing of so many links. */
    Totals read(int links) throws IOException {
        try {
            String[] lines = Files.readString(Path.of(file)).split("\n", -1);
            Totals totals = new Totals();
            totals.complete = Long.parseLong(lines[0]);
            totals.incomplete = Long.parseLong(lines[1]);
            totals.built = numbers(lines[2]);
            totals.late = numbers(lines[3]);
            totals.missing = numbers(lines[4]);
            totals.gaps = numbers(lines[5]);
            return totals;
        } catch (NoSuchFileException none) {
            return new Totals(links);
        }
    }
}
