// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** SQL over publishers. Flink's planner takes longer to start than the rest of the module's tests. */
@Tag("cluster")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NetioTableTest {
    private final StreamTableEnvironment tables =
            StreamTableEnvironment.create(StreamExecutionEnvironment.createLocalEnvironment(1));

    @Test
    void shouldQueryPublishedJson() throws Exception {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.range(0, 1_000)
                .map(n -> "{\"channel\": " + n % 4 + ", \"energy\": " + n * 0.5 + "}").map(StandardCharsets.UTF_8::encode)
                .map(bytes -> ByteBuffer.allocate(bytes.remaining()).put(bytes).flip()));
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        tables.executeSql("CREATE TABLE hits (channel INT, energy DOUBLE) WITH ('connector' = 'netio', 'endpoints' = '127.0.0.1:"
                + server.port() + "', 'tags' = '7', 'backend' = 'TCP', 'on-gap' = 'FAIL', 'format' = 'json')");
        List<Row> rows = new ArrayList<>();
        String query = "SELECT channel, energy FROM hits WHERE energy >= 400";
        CloseableIterator<Row> result = tables.executeSql(query).collect();
        result.forEachRemaining(rows::add);
        result.close();
        server.disposeNow(Duration.ofSeconds(5));

        assertThat(rows).hasSize(200).first().isEqualTo(Row.of(0, 400.0));
    }

    /** The numbers of RecordedDetector, eight bytes each. */
    @Test
    void shouldQueryARecording(@TempDir Path directory) throws Exception {
        try (RecordedDetector detector = new RecordedDetector(directory, 1_000)) {
            tables.executeSql("CREATE TABLE recorded (number BIGINT) WITH ('connector' = 'netio', 'endpoints' = '127.0.0.1:"
                    + detector.port() + "', 'tags' = '7', 'backend' = 'TCP', 'recording' = 'true',"
                    + " 'recording.from' = '2020-01-01T00:00:00Z', 'recording.or-oldest' = 'true', 'format' = 'raw')");
            List<Row> rows = new ArrayList<>();
            String query = "SELECT number FROM recorded WHERE number >= 50";
            CloseableIterator<Row> result = tables.executeSql(query).collect();
            result.forEachRemaining(rows::add);
            result.close();

            assertThat(rows).hasSize(1_000 - 50 - (int) RecordedDetector.MISSING).first().isEqualTo(Row.of(50L));
        }
    }

    /** A column of another name, one that is cast, and an order that is not the table's. */
    @Test
    void shouldShowTagsAndNumbers(@TempDir Path directory) throws Exception {
        try (RecordedDetector detector = new RecordedDetector(directory, 1_000)) {
            tables.executeSql("CREATE TABLE recorded (n BIGINT METADATA FROM 'sequence', number BIGINT, status SMALLINT METADATA,"
                    + " origin STRING METADATA FROM 'endpoint' VIRTUAL, tag BIGINT METADATA, run BIGINT METADATA) WITH ("
                    + "'connector' = 'netio', 'endpoints' = '127.0.0.1:" + detector.port() + "', 'tags' = '7',"
                    + " 'backend' = 'TCP', 'recording' = 'true', 'format' = 'raw')");
            List<Row> rows = new ArrayList<>();
            String query = "SELECT tag, number - n, status, origin, COUNT(DISTINCT run), COUNT(*), MAX(n) FROM recorded"
                    + " GROUP BY tag, number - n, status, origin";
            CloseableIterator<Row> result = tables.executeSql(query).collect();
            result.forEachRemaining(rows::add);
            result.close();

            long there = 1_000 - RecordedDetector.MISSING;
            assertThat(rows).last().hasToString("+U[7, 0, 0, 127.0.0.1:" + detector.port() + ", 1, " + there + ", 999]");
        }
    }

    @Test
    void shouldSayWhatIsWrongWithTheOptions() {
        assertInvalid("'endpoints' = 'daq1', 'tags' = '7'", "'endpoints' has \"daq1\", which should be host:port");
        assertInvalid("'endpoints' = 'daq1:x', 'tags' = '7'", "'endpoints' has \"daq1:x\"");
        assertInvalid("'endpoints' = 'daq1:1', 'tags' = '9-7'", "'tags' has \"9-7\", which should be a tag, or");
        assertInvalid("'endpoints' = 'daq1:1;daq2:1', 'tags' = '7;1-9'", "'tags' has \"1-9\"");
        assertInvalid("'endpoints' = 'daq1:1', 'tags' = '7', 'on-gap' = 'shrug'", "on-gap");
        assertInvalid("'endpoints' = 'daq1:1', 'tags' = '7', 'recording.follow' = 'true'", "set 'recording' = 'true'");
        assertInvalid("'endpoints' = 'daq1:1', 'tags' = '7', 'recording.or-oldest' = 'true'", "are for a recording");
        assertInvalid("'endpoints' = 'daq1:1', 'tags' = '7', 'recording' = 'true', 'recording.from' = 'noon'",
                "'recording.from' has \"noon\"");
        assertInvalid("'endpoints' = 'daq1:1'", "Missing required options");
    }

    private void assertInvalid(String options, String message) {
        tables.executeSql("DROP TABLE IF EXISTS wrong");
        tables.executeSql("CREATE TABLE wrong (line STRING) WITH ('connector' = 'netio', " + options + ", 'format' = 'raw')");
        assertThatThrownBy(() -> tables.explainSql("SELECT * FROM wrong")).isInstanceOf(ValidationException.class)
                .hasStackTraceContaining(message);
    }
}
