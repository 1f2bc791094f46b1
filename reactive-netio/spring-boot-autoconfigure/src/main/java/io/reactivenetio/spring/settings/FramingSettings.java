// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

import io.reactivenetio.Framing;
import io.reactivenetio.spring.FramingKind;
import io.reactivenetio.spring.TransportProperties;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Makes a framing of the properties that only some framings have, and refuses those that the framing does not have. */
final class FramingSettings {
    private static final List<Property> PROPERTIES = List.of(
            new Property("shared-receive-buffers", TransportProperties::sharedReceiveBuffers, FramingKind.RAW, FramingKind.PAGE),
            new Property("shared-send-buffers", TransportProperties::sharedSendBuffers, FramingKind.RAW, FramingKind.PAGE),
            new Property("end-signal", TransportProperties::endSignal, FramingKind.RAW, FramingKind.PAGE),
            new Property("page-watermark", TransportProperties::pageWatermark, FramingKind.PAGE),
            new Property("flush-interval", TransportProperties::flushInterval, FramingKind.PAGE),
            new Property("max-message-size", TransportProperties::maxMessageSize, FramingKind.STREAM),
            new Property("reassembly-budget", TransportProperties::reassemblyBudget, FramingKind.STREAM),
            new Property("serve-timeout", TransportProperties::serveTimeout, FramingKind.STREAM),
            new Property("max-streams", TransportProperties::maxStreams, FramingKind.STREAM),
            new Property("prefetch", TransportProperties::prefetch, FramingKind.STREAM),
            new Property("prefetch-bytes", TransportProperties::prefetchBytes, FramingKind.STREAM),
            new Property("checksums", TransportProperties::checksums, FramingKind.STREAM));

    private FramingSettings() {
    }

    /** A property of some framings. */
    private record Property(String name, Function<TransportProperties, @Nullable Object> value, List<FramingKind> framings) {
        Property(String name, Function<TransportProperties, @Nullable Object> value, FramingKind... framings) {
            this(name, value, List.of(framings));
        }

        String words() {
            return framings.stream().map(framing -> framing.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(" or "));
        }
    }

    /**
     * The framing that {@code own} says, with its settings. The names of the properties begin with {@code prefix}.
     *
     * @throws InvalidConfigurationPropertyValueException if one is refused, or is for another framing
     */
    static Framing of(String prefix, TransportProperties own) {
        for (Property property : PROPERTIES) {
            Object value = property.value.apply(own);
            if (value != null && !property.framings.contains(own.kind())) {
                throw new InvalidConfigurationPropertyValueException(prefix + property.name, value, "connections with "
                        + own.kind().name().toLowerCase(Locale.ROOT) + " framing have no such setting: leave it out, or set "
                        + prefix + "framing to " + property.words() + " on both sides");
            }
        }
        return switch (own.kind()) {
            case RAW -> plain(prefix, own, Framing.raw()).get();
            case PAGE -> plain(prefix, own, Framing.page())
                    .set("page-watermark", own.pageWatermark(), (f, size) -> f.watermark(Setter.bytes(size)))
                    .set("flush-interval", own.flushInterval(), Framing.Page::flushInterval).get();
            case STREAM -> stream(prefix, own);
        };
    }

    private static <T extends Framing.Plain<T>> Setter<T> plain(String prefix, TransportProperties own, T framing) {
        return new Setter<>(prefix, framing)
                .set("shared-receive-buffers", own.sharedReceiveBuffers(),
                        (f, b) -> f.sharedReceiveBuffers(Setter.bytes(b.size()), b.number()))
                .set("shared-send-buffers", own.sharedSendBuffers(),
                        (f, b) -> f.sharedSendBuffers(Setter.bytes(b.size()), b.number()))
                .set("end-signal", own.endSignal(), Framing.Plain::endSignal);
    }

    private static Framing.Stream stream(String prefix, TransportProperties own) {
        Integer messages = own.prefetch();
        return new Setter<>(prefix, Framing.stream())
                .set("max-message-size", own.maxMessageSize(), (f, size) -> f.maxMessageSize(Setter.bytes(size)))
                .set("reassembly-budget", own.reassemblyBudget(), (f, size) -> f.reassemblyBudget(size.toBytes()))
                .set("serve-timeout", own.serveTimeout(), Framing.Stream::serveTimeout)
                .set("max-streams", own.maxStreams(), Framing.Stream::maxStreams)
                .set("checksums", own.checksums(), Framing.Stream::checksums)
                .set("prefetch", messages, Framing.Stream::prefetch)
                .set("prefetch-bytes", own.prefetchBytes(), (f, size) -> {
                    if (messages == null) {
                        throw new IllegalArgumentException("it limits prefetch, which is not set: set that, too");
                    }
                    return f.prefetch(messages, size.toBytes());
                }).get();
    }
}
