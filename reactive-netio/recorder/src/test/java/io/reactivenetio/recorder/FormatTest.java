// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of the documentation, byte by byte: written they are like this, and like this they are read. */
class FormatTest {
    private static final Tags RANGE = Tags.range(10, 20);
    private static final int LENGTH = 3 * Format.PAGE;
    private static final String FIRST_HEADER = """
            52 4e 42 4b 00 00 01 00 00 10 00 00 32 00 00 00
            07 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            01 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00
            09 00 00 00 00 00 00 00 40 42 0f 00 00 00 00 00
            41 42 0f 00 00 00 00 00 88 77 66 55 44 33 22 11
            02 00 00 00 01 00 00 00 01 00 00 00 7d ac 9b cc
            ac 1e d3 b7
            """;
    private static final String SECOND_HEADER = """
            52 4e 42 4b 00 01 01 00 00 10 00 00 3b 00 00 00
            0a 00 00 00 00 00 00 00 14 00 00 00 00 00 00 00
            02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            01 00 00 00 00 00 00 00 40 42 0f 00 00 00 00 00
            41 42 0f 00 00 00 00 00 88 77 66 55 44 33 22 11
            02 00 00 00 01 00 00 00 02 00 00 00 e9 c3 6c 11
            a5 b7 43 6e
            """;
    /** By offset; all else is zero. */
    private static final Map<Integer, String> SEGMENT = Map.of(0, """
            52 4e 53 47 01 00 00 00 88 77 66 55 44 33 22 11
            01 00 00 00 00 00 00 00 00 ca 9a 3b 00 00 00 00
            74 b5 35 da
            """, 4096, FIRST_HEADER, 4196, """
            00 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00
            6d 35 01 00 00 00 01 00 00 00 01 00 00 00 10 00
            00 00 06 00 00 00 00 00 00 00 08 00 00 00 00 00
            00 00
            """, 8192, SECOND_HEADER, 8292, """
            02 00 00 00 00 00 00 00 00 00 00 00 10 00 00 00
            01 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00
            00 ff 00 00 00 00 00 00 01 00 00 00 03 00 00 00
            0b 00 00 00 00 00 00 00 01 02 03
            """);
    private static final String INDEX = """
            52 4e 49 58 01 00 00 00 88 77 66 55 44 33 22 11
            01 00 00 00 02 00 00 00 00 30 00 00 00 00 00 00
            b8 dd 00 ca ea 0e 8f d5
            """ + FIRST_HEADER + SECOND_HEADER;

    @TempDir
    Path directory;

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }

    private static byte[] segment() {
        ByteBuffer all = ByteBuffer.allocate(LENGTH);
        SEGMENT.forEach((at, hex) -> all.put(at, bytes(hex)));
        return all.array();
    }

    @Test
    void shouldWriteTheFilesOfTheDocumentation() throws IOException {
        RecorderOptions options = RecorderOptions.defaults().clock(() -> Instant.ofEpochSecond(1));
        try (DirectLog log = new DirectLog(directory, options, new RecorderCounters())) {
            log.write(TAG, List.of(message(1, 5), new Gap(TAG, 1, 6, 8)));
            log.write(RANGE, List.of(new RunChange(RANGE, new Position(1, 9), 2), new SequencedMessage(RANGE, 2, 0,
                    new TaggedMessage(11, 255, ByteBuffer.wrap(new byte[] {1, 2, 3})))));
        }
        assertThat(directory.resolve("0000000001.segment")).hasBinaryContent(segment());
        assertThat(directory.resolve("0000000001.index")).hasBinaryContent(bytes(INDEX));
    }

    @Test
    void shouldReadTheFilesOfTheDocumentation() throws IOException {
        Files.write(directory.resolve("0000000001.segment"), segment());
        for (int i = 0; i < 2; i++) {
            assertThat(read(directory)).containsExactly("1:5=m5", "1:6-8");
            assertThat(read(directory, RANGE, null)).containsExactly("2:0=\1\2\3");
            Files.write(directory.resolve("0000000001.index"), bytes(INDEX));
        }
    }
}
