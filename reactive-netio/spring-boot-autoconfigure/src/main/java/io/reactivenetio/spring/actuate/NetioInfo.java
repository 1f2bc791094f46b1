// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.TransportProperties;
import io.reactivenetio.spring.kafka.KafkaTransfers;
import io.reactivenetio.spring.settings.TransportSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.BackendProvider;
import io.reactivenetio.transport.backend.FabricInterface;
import io.reactivenetio.transport.backend.NativeLibrary;
import io.reactivenetio.transport.backend.NetworkBackend;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/**
 * Which backend there is, and of libfabric its version, providers and devices; and what goes to and from Kafka. They are
 * looked up once, when first asked for.
 */
final class NetioInfo implements InfoContributor {
    private final NetioProperties properties;
    private final List<KafkaTransfers> kafka;
    private volatile @Nullable Map<String, Object> found;

    NetioInfo(NetioProperties properties, List<KafkaTransfers> kafka) {
        this.properties = properties;
        this.kafka = kafka;
    }

    @Override
    public void contribute(Info.Builder builder) {
        Map<String, Object> all = found;
        if (all == null) {
            all = find();
            found = all;
        }
        builder.withDetail("netio", all);
    }

    private Map<String, Object> find() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("backend", properties.backend());
        Stream<TransportProperties> used = Stream.concat(Stream.of(properties.server()), properties.clients().values().stream());
        if (used.anyMatch(own -> TransportSettings.backend(properties, own) == BackendType.LIBFABRIC)) {
            all.put("provider", Objects.requireNonNullElse(properties.provider(), BackendConfig.defaults().provider()));
            try {
                describe(NetworkBackend.provider(BackendType.LIBFABRIC), all);
            } catch (RuntimeException e) { // there is none, or the JVM denies native access: that is what there is to tell
                all.put("libfabric", String.valueOf(e.getMessage()));
            }
        }
        Map<String, Object> transfers = new LinkedHashMap<>();
        for (KafkaTransfers kind : kafka) {
            Map<String, Object> named = new LinkedHashMap<>();
            kind.all().forEach((name, one) -> named.put(name, one.settings()));
            if (!named.isEmpty()) {
                transfers.put(kind.kind(), named);
            }
        }
        if (!transfers.isEmpty()) {
            all.put("kafka", transfers);
        }
        return all;
    }

    private static void describe(BackendProvider libfabric, Map<String, Object> all) {
        NativeLibrary library = libfabric.library();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("version", library.version());
        details.put("path", library.path());
        details.put("tested", library.tested());
        all.put("libfabric", details);
        Map<String, Set<String>> devices = new TreeMap<>();
        for (FabricInterface place : libfabric.interfaces()) {
            devices.computeIfAbsent(place.provider(), _ -> new TreeSet<>()).add(place.domain());
        }
        all.put("devices", devices);
    }
}
