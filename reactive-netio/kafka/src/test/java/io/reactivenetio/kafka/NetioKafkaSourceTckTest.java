// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.api.TaggedMessage;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The rules of Reactive Streams for a source, over Kafka's mock of a consumer. */
public class NetioKafkaSourceTckTest extends PublisherVerification<TaggedMessage> {
    private static final int MOST = 10_000;

    /** With time for a thread to begin. */
    public NetioKafkaSourceTckTest() {
        super(new TestEnvironment(1_000, 200, 500));
    }

    @Override
    public Publisher<TaggedMessage> createPublisher(long elements) {
        MockClients clients = new MockClients(true);
        clients.consumers = () -> new FilledConsumer(2, FilledConsumer.records((int) elements, 2, i -> i));
        return NetioKafkaSource.create("host:1").topics("run").clients(clients).toPresentEnd().messages();
    }

    @Override
    public Publisher<TaggedMessage> createFailedPublisher() {
        MockClients clients = new MockClients(true);
        clients.noTopic = new UnknownTopicOrPartitionException("no");
        return NetioKafkaSource.create("host:1").topics("run").clients(clients).messages();
    }

    @Override
    public long maxElementsFromPublisher() {
        return MOST;
    }
}
