// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What {@code netio.*} configures. A setting that is null is the library's own.
 *
 * @param backend what carries the messages: auto, the fastest network that both ends have, tcp, which is plain TCP, or libfabric
 * @param provider the libfabric provider, tcp or verbs, which makes auto libfabric; tcp unless set. Plain TCP ignores it
 * @param codec what makes messages of values that have no codec of their own
 * @param loops the threads that connections run on
 * @param server the server
 * @param clients the clients, by name
 * @param publisher the publisher whose tags the server serves
 */
@ConfigurationProperties("netio")
public record NetioProperties(@DefaultValue("auto") BackendType backend, @Nullable String provider,
        @DefaultValue("auto") CodecKind codec, @DefaultValue Loops loops,
        @NestedConfigurationProperty @DefaultValue NetioServerProperties server,
        @DefaultValue Map<String, NetioClientProperties> clients, @DefaultValue Publisher publisher) {

    /** What makes messages of values for which there is no bean of {@link io.reactivenetio.NetioCodec}. */
    public enum CodecKind {
        /** JSON where the application has Jackson, otherwise nothing. */
        AUTO,
        /** JSON, with the application's Jackson. */
        JSON,
        /** CBOR, with the application's Jackson. */
        CBOR,
        /** Messages that protoc has generated. */
        PROTOBUF
    }

    /**
     * The threads that connections run on.
     *
     * @param name how the threads are called, with -1, -2 and so on behind it
     * @param number how many loops, each with a thread of its own; one for each of the CPUs where these are named, otherwise 1
     * @param spin how long a loop without work looks for more before it sleeps, which keeps a CPU busy
     * @param adaptiveSpin the same, but only while messages and tasks come close together; 0 for never. Without it up to 20 us,
     *        while tasks of other threads do
     * @param mechanism how the loops wait, and how plain TCP reads and writes on them
     * @param cpus the CPUs that the loops run on, one for each loop
     * @param daemon whether the JVM may end while the loops run
     * @param reassemblyBudget the memory on each loop for messages that have begun to arrive and not ended
     */
    public record Loops(@DefaultValue("netio") String name, @Nullable Integer number, @Nullable Duration spin,
            @Nullable Duration adaptiveSpin, @Nullable LoopMechanism mechanism, @Nullable List<Integer> cpus,
            @DefaultValue("true") boolean daemon, @Nullable DataSize reassemblyBudget) {
    }

    /**
     * The publisher whose tags the server serves.
     *
     * @param policy what happens to a subscriber that is slower than its source, unless it wishes something else
     * @param queue how many messages of one source wait for a subscriber at most
     * @param stallTimeout how long a source waits for a subscriber that takes nothing while others wait with it
     */
    public record Publisher(@DefaultValue("backpressure") SlowPolicy policy, @DefaultValue("256") int queue,
            @DefaultValue("30s") Duration stallTimeout) {
    }

    /**
     * Buffers of one direction.
     *
     * @param size how large each is
     * @param number how many there are
     */
    public record Buffers(@DefaultValue("60KB") DataSize size, @DefaultValue("32") int number)
            implements TransportProperties.BufferCount {
        @Override
        public String toString() {
            return number + " of " + size;
        }
    }

    /** The order of the bytes of a number. */
    public enum ByteOrder implements TransportProperties.OrderOfBytes {
        /** The most significant byte first: what a new ByteBuffer has. */
        BIG_ENDIAN(java.nio.ByteOrder.BIG_ENDIAN),
        /** The least significant byte first: what most processors have. */
        LITTLE_ENDIAN(java.nio.ByteOrder.LITTLE_ENDIAN);

        private final java.nio.ByteOrder order;

        ByteOrder(java.nio.ByteOrder order) {
            this.order = order;
        }

        @Override
        public java.nio.ByteOrder order() {
            return order;
        }
    }
}
