// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.jspecify.annotations.Nullable;

/**
 * A source of Apache Flink (FLIP-27) that subscribes to publishers. Each endpoint with each of the tags is a split of its own,
 * and the parallel readers share the splits evenly. The messages of a split keep their order.
 *
 * <p>Unless set otherwise it is live, and so at most once. A checkpoint holds the position of each split: the publisher's run
 * and the number of the last message that was emitted. A job that is restored subscribes from then on, and is told as a gap
 * what has passed meanwhile, the messages included that it had emitted after the checkpoint. So in the restored state each
 * message since the first one was either emitted once, or told to be missing once. Only what a publisher published last before
 * it began anew is not known in numbers; that is a {@link io.reactivenetio.pubsub.RunChange}.
 *
 * <p>With {@link NetioSourceBuilder#recording} it reads what was recorded instead. Then a restored job reads again what it had
 * emitted after the checkpoint, so that each recorded message is in its state exactly once, and a gap is what the recording
 * misses.
 *
 * <p>A split has a position from when its publisher has answered the subscription, be there a message or not. What is published
 * between a checkpoint before that and a restore is not told.
 *
 * <p>A slow pipeline requests less of the publisher, which then does what its {@link io.reactivenetio.api.SlowPolicy} says. A
 * stream that completes ends its split, and when all splits have ended, so has the source. Until then a reader that has no split
 * stays, idle: in a source that is bounded it ends.
 *
 * <p>Watermarks and idleness are those of the {@code WatermarkStrategy} that it is used with, for each split by itself. Messages
 * have no time of their own, so event time needs a timestamp assigner that finds it in the record.
 *
 * @param <T> the records that the schema makes
 */
public final class NetioSource<T> implements Source<T, NetioSplit, NetioEnumeratorState>, ResultTypeQueryable<T> {
    private static final long serialVersionUID = 1;

    private final NetioSourceOptions options;
    private final TagDiscovery.@Nullable Config discovery;
    private final EventOrigin.Factory origin;
    private final NetioDeserializationSchema<T> schema;
    private final Boundedness boundedness;

    NetioSource(NetioSourceOptions options, TagDiscovery.@Nullable Config discovery, EventOrigin.Factory origin,
            NetioDeserializationSchema<T> schema, Boundedness boundedness) {
        this.options = options;
        this.discovery = discovery;
        this.origin = origin;
        this.schema = schema;
        this.boundedness = boundedness;
    }

    /** Begins to configure a source. */
    public static <T> NetioSourceBuilder<T> builder() {
        return new NetioSourceBuilder<>();
    }

    @Override
    public Boundedness getBoundedness() {
        return boundedness;
    }

    @Override
    public SourceReader<T, NetioSplit> createReader(SourceReaderContext context) throws Exception {
        schema.open(new DeserializationSchema.InitializationContext() {
            @Override
            public MetricGroup getMetricGroup() {
                return context.metricGroup().addGroup("deserializer");
            }

            @Override
            public UserCodeClassLoader getUserCodeClassLoader() {
                return context.getUserCodeClassLoader();
            }
        });
        return new NetioSourceReader<>(context, origin.open("netio-flink-" + context.getIndexOfSubtask()), schema, options,
                boundedness == Boundedness.BOUNDED);
    }

    @Override
    public SplitEnumerator<NetioSplit, NetioEnumeratorState> createEnumerator(SplitEnumeratorContext<NetioSplit> context) {
        return new NetioSplitEnumerator(context, options.splits(), discovery, null);
    }

    @Override
    public SplitEnumerator<NetioSplit, NetioEnumeratorState> restoreEnumerator(SplitEnumeratorContext<NetioSplit> context,
            NetioEnumeratorState state) {
        return new NetioSplitEnumerator(context, options.splits(), discovery, state);
    }

    @Override
    public SimpleVersionedSerializer<NetioSplit> getSplitSerializer() {
        return new NetioSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<NetioEnumeratorState> getEnumeratorCheckpointSerializer() {
        return new NetioEnumeratorStateSerializer();
    }

    @Override
    public TypeInformation<T> getProducedType() {
        return schema.getProducedType();
    }
}
