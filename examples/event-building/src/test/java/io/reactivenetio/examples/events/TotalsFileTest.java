// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.events.Built.Kind;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TotalsFileTest {
    @TempDir
    private Path directory;

    @Test
    void shouldReadWhatWasWritten() throws IOException, InterruptedException {
        TotalsFile file = new TotalsFile(directory.resolve("totals").toString());
        assertThat(file.read(3)).usingRecursiveComparison().isEqualTo(new Totals(3));
        Totals totals = new Totals(3);
        totals.add(new Built(Kind.COMPLETE, 1, 0b111, 1));
        totals.add(new Built(Kind.INCOMPLETE, 2, 0b101, 1));
        totals.add(new Built(Kind.LATE, 2, 0b010, 1));
        totals.add(new Built(Kind.MISSING, 2, 0b010, 40));
        SinkWriter<Totals> writer = file.createWriter(null);
        writer.flush(false);
        writer.write(totals, null);
        writer.flush(true);

        Totals read = file.read(3);
        assertThat(read).usingRecursiveComparison().isEqualTo(totals);
        assertThat(read.complete).isEqualTo(1);
        assertThat(read.incomplete).isEqualTo(1);
        assertThat(read.built).containsExactly(2, 1, 2);
        assertThat(read.late).containsExactly(0, 1, 0);
        assertThat(read.missing).containsExactly(0, 40, 0);
        assertThat(read.gaps).containsExactly(0, 1, 0);
    }

    @Test
    void shouldNotNeedKryo() {
        for (Class<?> type : new Class<?>[] {Fragment.class, Built.class, Totals.class, Event.class}) {
            assertThat(TypeInformation.of(type)).isInstanceOf(PojoTypeInfo.class);
        }
    }
}
