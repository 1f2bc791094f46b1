// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.SequencedMessage;
import java.util.Locale;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;

/** What a table can have a column for besides the payload: {@code METADATA} in SQL, with the constant's name in lower case. */
enum MetadataColumn {
    /** Host and port of the publisher, or of the recording's server. */
    ENDPOINT,

    /** The message's tag, 64 bits: tags from 2^63 on are negative. */
    TAG,

    /** The message's status, 0 to 255. */
    STATUS,

    /** Changes when the publisher begins anew, and with it the sequence. */
    RUN,

    /** The message's number in its run, from 0. */
    SEQUENCE;

    static MetadataColumn of(String key) {
        return valueOf(key.toUpperCase(Locale.ROOT));
    }

    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    DataType type() {
        return switch (this) {
            case ENDPOINT -> DataTypes.STRING().notNull();
            case STATUS -> DataTypes.INT().notNull();
            case TAG, RUN, SEQUENCE -> DataTypes.BIGINT().notNull();
        };
    }

    Object value(NetioEndpoint from, SequencedMessage message) {
        return switch (this) {
            case ENDPOINT -> StringData.fromString(from.toString());
            case TAG -> message.message().tag();
            case STATUS -> message.message().status();
            case RUN -> message.run();
            case SEQUENCE -> message.sequence();
        };
    }
}
