// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.OperatorIOMetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;

/** Stands for Flink, and keeps what is counted, and what the coordinator is told. */
record ReaderContext(Map<String, Counter> counters, List<SourceEvent> told) implements SourceReaderContext {
    @Override
    public SourceReaderMetricGroup metricGroup() {
        return new Meters(counters);
    }

    @Override
    public Configuration getConfiguration() {
        return new Configuration();
    }

    @Override
    public String getLocalHostName() {
        return "localhost";
    }

    @Override
    public int getIndexOfSubtask() {
        return 0;
    }

    @Override
    public void sendSplitRequest() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sendSourceEventToCoordinator(SourceEvent event) {
        told.add(event);
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
        return SimpleUserCodeClassLoader.create(getClass().getClassLoader());
    }

    /** Keeps the counters by their names, whichever group they are in. */
    private static final class Meters extends UnregisteredMetricsGroup implements SourceReaderMetricGroup, OperatorIOMetricGroup {
        private final Map<String, Counter> counters;

        Meters(Map<String, Counter> counters) {
            this.counters = counters;
        }

        @Override
        public Counter counter(String name) {
            return counters.computeIfAbsent(name, none -> new SimpleCounter());
        }

        @Override
        public MetricGroup addGroup(String name) {
            return this;
        }

        @Override
        public OperatorIOMetricGroup getIOMetricGroup() {
            return this;
        }

        @Override
        public Counter getNumRecordsInErrorsCounter() {
            return counter("numRecordsInErrors");
        }

        @Override
        public void setPendingBytesGauge(Gauge<Long> gauge) {
        }

        @Override
        public void setPendingRecordsGauge(Gauge<Long> gauge) {
        }

        @Override
        public Counter getNumRecordsInCounter() {
            return counter("numRecordsIn");
        }

        @Override
        public Counter getNumRecordsOutCounter() {
            return counter("numRecordsOut");
        }

        @Override
        public Counter getNumBytesInCounter() {
            return counter("numBytesIn");
        }

        @Override
        public Counter getNumBytesOutCounter() {
            return counter("numBytesOut");
        }
    }
}
