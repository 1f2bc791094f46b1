// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guide's table has the meters that are registered, and no others. */
class MeterTableTest {
    private static final Path GUIDE = Path.of("../../docs/guide.md");
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(netio\\.[a-z.]+)` \\| *(counter|gauge|timer) *\\|([^|]*)\\|([^|]*)\\|");

    // fields, since the registry does not keep them
    private final NetioLoops loops = NetioLoops.create("table", 2);
    private final NetioMetrics metrics = new NetioMetrics();
    private final NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().runOn(loops));
    private final NetioPublisher publisher = NetioPublisher.create();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeEach
    void bind() {
        Tags tags = Tags.of("own", "tag");
        NetioMeters.of(metrics, tags).bindTo(registry);
        NetioMeters.of(loops, tags).bindTo(registry);
        NetioMeters.of(subscriber, tags).bindTo(registry);
        NetioMeters.of(publisher, tags).bindTo(registry);
    }

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private static String row(Meter meter) {
        Meter.Id id = meter.getId();
        String keys = id.getTags().stream().map(Tag::getKey).filter(key -> !key.equals("own")).sorted()
                .collect(Collectors.joining(" "));
        return String.join("|", id.getName(), id.getType().name().toLowerCase(Locale.ROOT),
                Objects.requireNonNullElse(id.getBaseUnit(), ""), keys);
    }

    private static String sorted(String keys) {
        return Pattern.compile(", ").splitAsStream(keys.strip()).sorted().collect(Collectors.joining(" "));
    }

    @Test
    void shouldBeInTheGuide() throws IOException {
        List<String> documented = ROW.matcher(Files.readString(GUIDE)).results().map(row -> String.join("|", row.group(1),
                row.group(2).strip(), row.group(3).strip(), sorted(row.group(4)))).toList();
        List<Meter> meters = registry.getMeters();
        assertThat(documented).doesNotHaveDuplicates().hasSizeGreaterThan(30)
                .containsExactlyInAnyOrderElementsOf(meters.stream().map(MeterTableTest::row).distinct().toList());
        assertThat(meters).allMatch(meter -> "tag".equals(meter.getId().getTag("own")))
                .allMatch(meter -> meter.getId().getDescription() != null);
    }

    /** Bound before the first connection, every meter gives 0, or NaN for the age of what was never there. */
    @Test
    void shouldGiveNothingBeforeThereIsAnything() {
        for (Meter meter : registry.getMeters()) {
            String name = meter.getId().getName();
            if (!name.startsWith("netio.loop.")) {
                double nothing = name.equals("netio.subscriber.last.message.age") ? Double.NaN : 0;
                meter.measure().forEach(measured -> assertThat(Double.compare(measured.getValue(), nothing))
                        .as("%s, %s", name, measured).isZero());
            }
        }
    }
}
