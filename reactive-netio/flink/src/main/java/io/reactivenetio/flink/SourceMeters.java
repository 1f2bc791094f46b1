// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.SequencedMessage;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

/** What a reader counts in Flink's groups: Flink's own figures of a source, and in the group {@value #GROUP} what is missing. */
final class SourceMeters {
    static final String GROUP = "netio";

    private final Counter records;
    private final Counter bytes;
    private final Counter gaps;
    private final Counter missed;
    private final Counter runChanges;

    SourceMeters(SourceReaderMetricGroup group, LongSupplier pending, LongSupplier reconnects) {
        records = group.getIOMetricGroup().getNumRecordsInCounter();
        bytes = group.getIOMetricGroup().getNumBytesInCounter();
        group.setPendingRecordsGauge(pending::getAsLong);
        MetricGroup own = group.addGroup(GROUP);
        gaps = own.counter("gaps");
        missed = own.counter("missed");
        runChanges = own.counter("runChanges");
        own.<Long, org.apache.flink.metrics.Gauge<Long>>gauge("reconnects", reconnects::getAsLong);
    }

    void count(SequencedMessage message) {
        records.inc();
        bytes.inc(message.message().payload().remaining());
    }

    void count(Gap gap) {
        gaps.inc();
        missed.inc(gap.messages());
    }

    void countRunChange() {
        runChanges.inc();
    }
}
