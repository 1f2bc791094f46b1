// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FabricException;
import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Asks fi_getinfo(3) how a provider reaches an address. Its methods block: not for a loop that serves anybody. */
final class AddressSelection {
    private final LibFabric library;
    private final String provider;

    AddressSelection(LibFabric library, String provider) {
        this.library = library;
        this.provider = provider;
    }

    /** How to listen on {@code address}. */
    FiInfo local(InetSocketAddress address) throws UnknownHostException {
        return query(address, Fi.FI_SOURCE);
    }

    /** After {@link #local} failed: whether it is the port's fault, which verbs answers with "no data" like everything else. */
    boolean isPortRefused(InetSocketAddress address, FabricException failure) throws UnknownHostException {
        if (failure.code() != Fi.FI_ENODATA || address.getPort() == 0) {
            return false;
        }
        try {
            local(new InetSocketAddress(Addresses.resolve(address).getAddress(), 0)).close();
            return true;
        } catch (FabricException sameWithoutPort) {
            return false;
        }
    }

    /** After a query failed: of which addresses the provider has interfaces, if {@code address} is none it can use. */
    String hint(FabricException failure) {
        FiInfo found = failure.code() == Fi.FI_ENODATA && ProviderTraits.of(provider).verbs() ? all(provider) : null;
        if (found == null) {
            return "";
        }
        try (found) {
            return "; RDMA devices are at " + found.list().stream().filter(info -> info.srcAddress() != null)
                    .map(info -> Addresses.format(info.srcAddress()).replaceFirst(":\\d+$", "") + " (" + info.domainName() + ")")
                    .distinct().collect(Collectors.joining(", "));
        }
    }

    /** How to connect to {@code address}. */
    FiInfo remote(InetSocketAddress address) throws UnknownHostException {
        return query(address, 0);
    }

    private FiInfo query(InetSocketAddress address, long flags) throws UnknownHostException {
        InetSocketAddress resolved = Addresses.resolve(address);
        try (FiInfo hints = messageHints(provider)) {
            // verbs takes an address without a format for IPv4
            hints.addrFormat(resolved.getAddress() instanceof Inet6Address ? Fi.FI_SOCKADDR_IN6 : Fi.FI_SOCKADDR_IN);
            return library.getInfo(resolved.getAddress().getHostAddress(), Integer.toString(resolved.getPort()),
                    flags | Fi.FI_NUMERICHOST, hints);
        }
    }

    private FiInfo messageHints(@Nullable String name) {
        FiInfo hints = library.hints();
        hints.caps(name != null && ProviderTraits.of(name).verbs() ? Fi.FI_MSG | Fi.FI_RMA : Fi.FI_MSG); // for KeepAlive
        hints.endpointType(Fi.FI_EP_MSG);
        hints.mrMode(Fi.FI_MR_LOCAL | Fi.FI_MR_VIRT_ADDR | Fi.FI_MR_ALLOCATED | Fi.FI_MR_PROV_KEY);
        if (name != null) {
            hints.providerName(name);
        }
        return hints;
    }

    /** All ways to have message endpoints, of one provider or, with null, of any; the head of a list that the caller closes. */
    @Nullable FiInfo all(@Nullable String name) {
        try (FiInfo hints = messageHints(name)) {
            return library.getInfo(null, null, 0, hints);
        } catch (FabricException nothing) {
            return null;
        }
    }

    /** Fails with the providers there are if this one is not among them. */
    void requireProvider() {
        FiInfo found = all(provider);
        if (found != null) {
            found.close();
            return;
        }
        String offered = "nothing";
        FiInfo any = all(null);
        if (any != null) {
            try (any) {
                offered = names(any.list());
            }
        }
        throw new BackendUnavailableException("provider '" + provider + "' is not available for message endpoints here;"
                + " libfabric " + library.versionString() + " offers " + offered + (provider.equals("verbs")
                        ? "; verbs needs an RDMA device, rights to /dev/infiniband and package ibverbs-providers" : ""), null);
    }

    private static String names(List<FiInfo> infos) {
        return infos.stream().map(FiInfo::providerName).filter(name -> !ProviderTraits.isRefused(name)).distinct().sorted()
                .collect(Collectors.joining(", "));
    }
}
