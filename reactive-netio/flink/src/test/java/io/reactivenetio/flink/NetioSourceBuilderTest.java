// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class NetioSourceBuilderTest {
    private static NetioSourceBuilder<String> builder() {
        return NetioSource.<String>builder().endpoint("daq", 1)
                .deserializer(NetioDeserializationSchema.payloads(new SimpleStringSchema()));
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThatIllegalArgumentException().isThrownBy(() -> builder().endpoint("daq", 1))
                .withMessage("the endpoint daq:1 twice");
        assertThatIllegalArgumentException().isThrownBy(() -> builder().endpoint(" ", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().endpoint("daq", 65_536));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().tags(1, 5).tag(3));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().tag(3).tags(1, 5));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().tags(0, -1).tag(Long.MIN_VALUE));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().tags(5, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().tags(-1, 0))
                .withMessageContaining("from 18446744073709551615 to 0");
        assertThatIllegalArgumentException().isThrownBy(() -> builder().handOver(3));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().reconnect(-1, Duration.ZERO, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> builder().reconnect(1, Duration.ofSeconds(2),
                Duration.ofSeconds(1)));
        assertThatIllegalStateException().isThrownBy(() -> builder().build());
        assertThatIllegalStateException().isThrownBy(() -> NetioSource.builder().tag(1).build());
        assertThatIllegalStateException().isThrownBy(() -> builder().tag(1).discoverTags(2).build());
        assertThatIllegalStateException().isThrownBy(() -> builder().discoverTags(2).recording(true).build());
        assertThatIllegalStateException().isThrownBy(() -> builder().tag(1).recording(true).whenSlow(SlowPolicy.ERROR).build());
        assertThatIllegalStateException().isThrownBy(() -> builder().tag(1).recordedFrom(Instant.EPOCH).build());
        assertThatIllegalStateException().isThrownBy(() -> builder().tag(1).orOldest().build());
    }

    /** Tags are numbers without a sign, and whoever is beside another does not overlap it. */
    @Test
    void shouldTakeAllTagsThereAre() throws IOException {
        builder().tags(0, -1).build();
        builder().tags(Long.MAX_VALUE, Long.MIN_VALUE).tag(-1).tags(0, Long.MAX_VALUE - 1).build();
        NetioEndpoint daq = new NetioEndpoint("daq", 1);
        List<NetioSplit> splits = List.of(new NetioSplit(daq, 0, -1, new Position(-1, Long.MAX_VALUE)),
                new NetioSplit(daq, -1, -1, null), new NetioSplit(daq, Long.MAX_VALUE, Long.MIN_VALUE, new Position(1, -1)));
        SimpleVersionedSerializer<NetioSplit> serializer = builder().tag(1).build().getSplitSerializer();
        for (NetioSplit split : splits) {
            assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(split))).isEqualTo(split);
        }
        assertThat(splits).extracting(NetioSplit::splitId).containsExactly("daq:1/0-18446744073709551615",
                "daq:1/18446744073709551615", "daq:1/9223372036854775807-9223372036854775808");
        assertThat(splits).extracting(NetioSplit::tags).containsExactly(Tags.range(0, -1), Tags.of(-1),
                Tags.range(Long.MAX_VALUE, Long.MIN_VALUE));
    }

    /** However long the pauses are said to be, a job does not fail with their overflow. */
    @Test
    void shouldBearPausesThatNoClockCanCount() {
        Duration ever = Duration.ofSeconds(Long.MAX_VALUE);
        NetioLoops loops = NetioLoops.create("pauses", 1);
        try {
            CompletableFuture<Void> waiting = Flux.error(new NetioException("lost"))
                    .retryWhen(new Reconnects(3, ever, ever, client -> client).retry(loops)).then().toFuture();
            assertThat(waiting).isNotDone();
            waiting.cancel(true);
        } finally {
            loops.dispose();
        }
    }
}
