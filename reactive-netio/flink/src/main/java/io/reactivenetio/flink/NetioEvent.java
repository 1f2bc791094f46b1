// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * What a source tells of a split, in order: messages, and what is missing between them. {@link
 * NetioDeserializationSchema#events(TypeInformation, org.apache.flink.util.function.SerializableFunction)} makes a source of
 * them. All are immutable if {@code T} is. Flink serializes them with a serializer of their own.
 *
 * @param <T> what was made of a payload
 */
@TypeInfo(NetioEventTypeInfoFactory.class)
public sealed interface NetioEvent<T> {
    /** Where the publisher listens. */
    NetioEndpoint endpoint();

    /** The tags of the split, which are numbered together: one, or a range. */
    Tags tags();

    /** The run of the source that this is about. Each time a source is published anew it has another one. */
    long run();

    /** The split, such as {@code daq1:7000/7}: events of one split are in order. */
    default String split() {
        return NetioSplit.id(endpoint(), tags());
    }

    /** The type of events, for a stream or a state that has to be told. */
    static <T> TypeInformation<NetioEvent<T>> type(TypeInformation<T> value) {
        return new NetioEventTypeInfo<>(value);
    }

    /**
     * A message that has arrived.
     *
     * @param endpoint where the publisher listens
     * @param tags the tags of the split
     * @param run the run of the source
     * @param sequence the number of the message in the run; the first has the number 0
     * @param tag the tag of the message itself
     * @param status the status that it was published with
     * @param value what was made of its payload
     */
    record Message<T>(NetioEndpoint endpoint, Tags tags, long run, long sequence, long tag, int status, T value)
            implements NetioEvent<T> {
    }

    /**
     * Messages that were published and are missing: they were dropped because the job was slow, or passed while it was not
     * connected.
     *
     * @param endpoint where the publisher listens
     * @param tags the tags of the split
     * @param run the run of the source
     * @param from the number of the first of them
     * @param to the number of the last of them
     */
    record Gap<T>(NetioEndpoint endpoint, Tags tags, long run, long from, long to) implements NetioEvent<T> {
        /** How many messages are missing; at least 1. */
        public long messages() {
            return to - from + 1;
        }
    }

    /**
     * The source has begun anew, so its messages are numbered from 0 again. Nobody can tell how many messages of the former run
     * are missing at its end.
     *
     * @param endpoint where the publisher listens
     * @param tags the tags of the split
     * @param last the last message of the former run that was told
     * @param run the new run
     */
    record RunChange<T>(NetioEndpoint endpoint, Tags tags, Position last, long run) implements NetioEvent<T> {
    }
}
