// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.settings;

import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.TransportProperties;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.FabricInterface;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Finds out when an application starts what clients would otherwise find out with their first connection. */
public final class BackendCheck {
    private final Set<String> found = new HashSet<>();

    /**
     * Looks whether what {@code own} needs is on this machine.
     *
     * @throws BackendUnavailableException if there is no libfabric, or it has no such provider
     */
    public void require(NetioProperties all, TransportProperties own) {
        BackendType type = TransportSettings.backend(all, own);
        String named = TransportSettings.provider(all, own);
        String provider = named == null ? BackendConfig.defaults().provider() : named;
        if (type != BackendType.LIBFABRIC || found.contains(provider)) {
            return;
        }
        NetworkBackend.provider(type).library(); // throws if there is none
        List<FabricInterface> places = NetworkBackend.provider(type).interfaces();
        if (places.stream().noneMatch(place -> place.provider().equals(provider))) {
            Set<String> offered = places.stream().map(FabricInterface::provider).collect(Collectors.toCollection(TreeSet::new));
            throw new BackendUnavailableException("libfabric has no provider '" + provider + "' here: it offers "
                    + (offered.isEmpty() ? "none" : String.join(", ", offered)), null);
        }
        found.add(provider);
    }
}
