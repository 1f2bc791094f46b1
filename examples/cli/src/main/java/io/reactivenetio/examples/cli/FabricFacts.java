// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendProvider;
import io.reactivenetio.transport.backend.FabricInterface;
import io.reactivenetio.transport.backend.NativeLibrary;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What libfabric says of itself.
 *
 * @param library null if there is none, or none that works
 * @param problem why there is none and what to install, or null
 * @param providers those with message endpoints, each with the interfaces it can use
 */
record FabricFacts(@Nullable NativeLibrary library, @Nullable String problem, Map<String, List<FabricInterface>> providers) {

    static FabricFacts collect() {
        try {
            BackendProvider backend = NetworkBackend.provider(BackendType.LIBFABRIC);
            return new FabricFacts(backend.library(), null, backend.interfaces().stream()
                    .collect(Collectors.groupingBy(FabricInterface::provider, TreeMap::new, Collectors.toList())));
        } catch (BackendUnavailableException e) {
            return new FabricFacts(null, Problems.describe(e), Map.of());
        }
    }

    /** What there is to say of the library, or why there is none. */
    List<String> lines() {
        if (library == null) {
            return String.valueOf(problem).lines().toList();
        }
        return List.of(library.version() + (library.tested() ? ", a tested version"
                : ", not a tested version: those are " + String.join(", ", library.testedVersions())), library.path());
    }

    Map<String, @Nullable Object> json() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("version", library == null ? null : library.version());
        members.put("path", library == null ? null : library.path());
        members.put("tested", library == null ? null : library.tested());
        members.put("problem", problem);
        return members;
    }

    List<Map<String, Object>> providersJson() {
        return providers.entrySet().stream().map(provider -> {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("name", provider.getKey());
            members.put("version", provider.getValue().getFirst().providerVersion());
            members.put("interfaces", provider.getValue().stream().map(FabricFacts::json).toList());
            return members;
        }).toList();
    }

    private static Map<String, Object> json(FabricInterface place) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("domain", place.domain());
        members.put("address", place.address());
        members.put("maxMessageSize", place.maxMessageSize());
        return members;
    }
}
