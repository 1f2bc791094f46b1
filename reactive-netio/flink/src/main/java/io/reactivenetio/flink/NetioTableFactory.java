// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.transport.BackendType;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.SourceProvider;
import org.apache.flink.table.connector.source.abilities.SupportsReadingMetadata;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DeserializationFormatFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

/**
 * Makes tables of publishers, or recordings, in SQL: {@code 'connector' = 'netio'}. Rows are what the table's format makes of
 * each message, and {@code METADATA} columns: {@code endpoint}, {@code tag}, {@code status}, {@code run}, {@code sequence}. What
 * is missing is counted in metrics, or fails the job with {@code 'on-gap' = 'FAIL'}. Flink finds it by itself.
 */
public final class NetioTableFactory implements DynamicTableSourceFactory {
    private static final ConfigOption<List<String>> ENDPOINTS = ConfigOptions.key("endpoints").stringType().asList()
            .noDefaultValue().withDescription("Where the publishers listen: host:port, several with semicolons between.");

    private static final ConfigOption<List<String>> TAGS = ConfigOptions.key("tags").stringType().asList().noDefaultValue()
            .withDescription("Tags that are published by themselves, or ranges that are published as such: 7;4096-8191.");

    private static final ConfigOption<SlowPolicy> WHEN_SLOW = ConfigOptions.key("when-slow").enumType(SlowPolicy.class)
            .noDefaultValue().withDescription("What publishers do while the pipeline is slow; else their own policy.");

    private static final ConfigOption<GapHandling> ON_GAP = ConfigOptions.key("on-gap").enumType(GapHandling.class)
            .defaultValue(GapHandling.TELL).withDescription("Whether missing messages are counted only, or fail the job.");

    private static final ConfigOption<Integer> HAND_OVER = ConfigOptions.key("hand-over").intType()
            .defaultValue(NetioSourceBuilder.DEFAULT_HAND_OVER).withDescription("How many events of a split wait for it.");

    private static final ConfigOption<BackendType> BACKEND = ConfigOptions.key("backend").enumType(BackendType.class)
            .defaultValue(BackendType.AUTO).withDescription("What carries the messages; publishers have the same, or AUTO.");

    private static final ConfigOption<Boolean> RECORDING = ConfigOptions.key("recording").booleanType().defaultValue(false)
            .withDescription("Whether the endpoints are servers of recordings, to read what was recorded.");

    private static final ConfigOption<Boolean> FOLLOW = ConfigOptions.key("recording.follow").booleanType().defaultValue(false)
            .withDescription("Whether to go on at the end of a recording; otherwise the table is bounded.");

    private static final ConfigOption<String> FROM = ConfigOptions.key("recording.from").stringType().noDefaultValue()
            .withDescription("The time at which to begin in a recording, as 2026-11-23T22:00:00Z; else its beginning.");

    private static final ConfigOption<Boolean> OR_OLDEST = ConfigOptions.key("recording.or-oldest").booleanType()
            .defaultValue(false).withDescription("Whether to go on with the oldest when the run of a checkpoint was deleted.");

    /** Called by Flink, which finds it by the file META-INF/services. */
    public NetioTableFactory() {
    }

    @Override
    public String factoryIdentifier() {
        return "netio";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(ENDPOINTS, TAGS, FactoryUtil.FORMAT);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(WHEN_SLOW, ON_GAP, HAND_OVER, BACKEND, RECORDING, FOLLOW, FROM, OR_OLDEST);
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        DecodingFormat<DeserializationSchema<RowData>> format = helper.discoverDecodingFormat(DeserializationFormatFactory.class,
                FactoryUtil.FORMAT);
        helper.validate();
        NetioSourceBuilder<RowData> source = source(helper.getOptions());
        return new Table(source, format, context.getPhysicalRowDataType());
    }

    private static NetioSourceBuilder<RowData> source(ReadableConfig options) {
        BackendType backend = options.get(BACKEND);
        NetioSourceBuilder<RowData> source = NetioSource.<RowData>builder().onGap(options.get(ON_GAP))
                .handOver(options.get(HAND_OVER)).client(client -> client.backend(backend));
        for (String endpoint : options.get(ENDPOINTS)) {
            int colon = endpoint.lastIndexOf(':');
            number(() -> source.endpoint(endpoint.substring(0, colon), Integer.parseInt(endpoint.substring(colon + 1))),
                    "endpoints", endpoint, "host:port");
        }
        for (String tags : options.get(TAGS)) {
            String[] parts = tags.split("-", 2);
            number(() -> source.tags(Long.parseUnsignedLong(parts[0]), Long.parseUnsignedLong(parts[parts.length - 1])),
                    "tags", tags, "a tag, or the first and the last of a range with a hyphen between");
        }
        options.getOptional(WHEN_SLOW).ifPresent(source::whenSlow);
        if (options.get(RECORDING)) {
            source.recording(options.get(FOLLOW));
        } else if (options.get(FOLLOW)) {
            throw new ValidationException("'recording.follow' is for a recording: set 'recording' = 'true'");
        }
        options.getOptional(FROM).ifPresent(time -> source.recordedFrom(time(time)));
        if (options.get(OR_OLDEST)) {
            source.orOldest();
        }
        return source;
    }

    private static Instant time(String time) {
        try {
            return Instant.parse(time);
        } catch (DateTimeParseException e) {
            throw new ValidationException("'recording.from' has \"" + time + "\", which should be a time such as"
                    + " 2026-11-23T22:00:00Z", e);
        }
    }

    private static void number(Runnable set, String option, String value, String wanted) {
        try {
            set.run();
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new ValidationException("'" + option + "' has \"" + value + "\", which should be " + wanted + ": "
                    + e.getMessage(), e);
        }
    }

    private static final class Table implements ScanTableSource, SupportsReadingMetadata {
        private final NetioSourceBuilder<RowData> source;
        private final DecodingFormat<DeserializationSchema<RowData>> format;
        private final DataType physical;
        private DataType produced;
        private List<MetadataColumn> columns = List.of();

        Table(NetioSourceBuilder<RowData> source, DecodingFormat<DeserializationSchema<RowData>> format, DataType physical) {
            this.source = source;
            this.format = format;
            this.physical = physical;
            this.produced = physical;
        }

        @Override
        public ChangelogMode getChangelogMode() {
            return format.getChangelogMode();
        }

        @Override
        public Map<String, DataType> listReadableMetadata() {
            Map<String, DataType> readable = new LinkedHashMap<>();
            for (MetadataColumn column : MetadataColumn.values()) {
                readable.put(column.key(), column.type());
            }
            return readable;
        }

        @Override
        public void applyReadableMetadata(List<String> keys, DataType type) {
            columns = keys.stream().map(MetadataColumn::of).toList();
            produced = type;
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            StandardSchemas.PayloadSchema<RowData> payloads =
                    new StandardSchemas.PayloadSchema<>(format.createRuntimeDecoder(context, physical));
            NetioDeserializationSchema<RowData> schema = columns.isEmpty() ? payloads
                    : new RowSchema(payloads, columns, context.createTypeInformation(produced));
            try {
                return SourceProvider.of(source.deserializer(schema).build());
            } catch (IllegalStateException e) { // options that do not go together
                throw new ValidationException(String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public DynamicTableSource copy() {
            Table copy = new Table(source, format, physical);
            copy.produced = produced;
            copy.columns = columns;
            return copy;
        }

        @Override
        public String asSummaryString() {
            return "netio";
        }
    }
}
