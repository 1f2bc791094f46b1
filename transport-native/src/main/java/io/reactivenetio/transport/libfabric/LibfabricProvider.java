// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FabricUnavailableException;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendProvider;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.BackendUnavailableException;
import io.reactivenetio.transport.FabricInterface;
import io.reactivenetio.transport.NativeLibrary;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.NotSupportedException;
import java.net.InetSocketAddress;
import java.util.List;

/** Makes the libfabric backend, or says what is missing. Found by ServiceLoader. */
public final class LibfabricProvider implements BackendProvider {

    /** For the ServiceLoader. */
    public LibfabricProvider() {
    }

    @Override
    public BackendType type() {
        return BackendType.LIBFABRIC;
    }

    @Override
    public NetworkBackend create(BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        if (ProviderTraits.isRefused(config.provider())) {
            throw new NotSupportedException("libfabric's provider " + config.provider() + " is not supported: libfabric 2 has"
                    + " removed it, and it crashes or hangs when connections close. Use provider tcp, which needs no more");
        }
        LibFabric library = load();
        new AddressSelection(library, config.provider()).requireProvider(); // before there is anything to give back
        return new LibfabricBackend(library, config, loop, callbacks);
    }

    @Override
    public NativeLibrary library() {
        LibFabric library = load();
        return new NativeLibrary(library.versionString(), library.path(), library.isTested(), LibFabric.testedVersions());
    }

    @Override
    public List<FabricInterface> interfaces() {
        FiInfo all = new AddressSelection(load(), "").all(null);
        if (all == null) {
            return List.of();
        }
        try (all) {
            return all.list().stream().filter(info -> !ProviderTraits.isRefused(info.providerName()))
                    .map(LibfabricProvider::describe).distinct().toList();
        }
    }

    private static FabricInterface describe(FiInfo info) {
        InetSocketAddress address = info.srcAddress();
        return new FabricInterface(info.providerName(), info.providerVersion(), info.domainName(),
                address == null ? "" : Addresses.format(new InetSocketAddress(address.getAddress(), 0)).replaceFirst(":0$", ""),
                info.maxMsgSize());
    }

    private static LibFabric load() {
        try {
            return LibFabric.load();
        } catch (FabricUnavailableException e) {
            throw new BackendUnavailableException(String.valueOf(e.getMessage()), e);
        }
    }
}
