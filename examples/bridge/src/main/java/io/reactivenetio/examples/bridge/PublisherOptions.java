// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.HostPort;
import io.reactivenetio.examples.cli.NetworkOptions;
import io.reactivenetio.examples.cli.SlowOption;
import io.reactivenetio.examples.cli.TagChoice;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.util.retry.Retry;

/** Which publisher a command subscribes to, to what, and how. */
final class PublisherOptions {
    private static final Duration BETWEEN = Duration.ofMillis(200);

    @Option(names = "--connect", paramLabel = "HOST:PORT", required = true, converter = HostPort.Converter.class,
            description = "Where the publisher listens.")
    private @Nullable HostPort connect;

    @Option(names = "--tags", paramLabel = "TAGS", required = true, split = ",", converter = TagChoice.Converter.class,
            description = "What to subscribe to: 7, 0x1f, 10-20, or 0x1200/0xff00, a value and its mask; several with commas."
                    + " Each must be what the publisher publishes together, as only then messages are numbered.")
    private List<TagChoice> tags = new ArrayList<>();

    @Option(names = "--when-slow", paramLabel = "POLICY", converter = SlowOption.class,
            description = "What the publisher is to do when this side is slow: " + SlowOption.NAMES + ". Default: its choice.")
    private @Nullable SlowPolicy whenSlow;

    @Option(names = "--reconnect", paramLabel = "SECONDS",
            description = "Connect again for so long when the connection is lost. Default: fail.")
    private @Nullable Integer reconnect;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    List<Tags> tags() {
        return tags.stream().map(TagChoice::tags).toList();
    }

    NetioSubscriber subscriber() {
        HostPort target = Objects.requireNonNull(connect);
        if (target.port() == 0) {
            throw CliException.usage("--connect: nobody can listen on port 0");
        }
        Integer seconds = reconnect;
        if (seconds != null && seconds < 1) {
            throw CliException.usage("--reconnect must be more than 0");
        }
        NetioSubscriber subscriber = NetioSubscriber.create(network.of(NetioClient.create()).host(target.host())
                .port(target.port()));
        SlowPolicy wished = whenSlow;
        subscriber = wished == null ? subscriber : subscriber.whenSlow(wished);
        return seconds == null ? subscriber : subscriber.reconnect(Retry
                .fixedDelay(1_000L * seconds / BETWEEN.toMillis(), BETWEEN).transientErrors(true)
                .onRetryExhaustedThrow((spec, signal) -> signal.failure()));
    }
}
