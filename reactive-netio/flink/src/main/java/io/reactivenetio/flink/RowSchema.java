// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.util.Collector;

/** Rows of a table: those that a format makes of the payload, each followed by {@code columns}. */
record RowSchema(StandardSchemas.PayloadSchema<RowData> payloads, List<MetadataColumn> columns, TypeInformation<RowData> type)
        implements NetioDeserializationSchema<RowData> {
    @Override
    public void open(DeserializationSchema.InitializationContext context) throws Exception {
        payloads.open(context);
    }

    @Override
    public void deserialize(NetioEndpoint from, SequencedMessage message, Collector<RowData> out) throws IOException {
        GenericRowData values = new GenericRowData(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            values.setField(i, columns.get(i).value(from, message));
        }
        payloads.deserialize(from, message, new Collector<>() {
            @Override
            public void collect(RowData row) {
                out.collect(new JoinedRowData(row.getRowKind(), row, values));
            }

            @Override
            public void close() {
                out.close();
            }
        });
    }

    @Override
    public TypeInformation<RowData> getProducedType() {
        return type;
    }
}
