// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FabricUnavailableException;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.BackendProvider;
import io.reactivenetio.transport.backend.FabricInterface;
import io.reactivenetio.transport.backend.NativeLibrary;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes the libfabric backend, or says what is missing. Found by ServiceLoader. */
public final class LibfabricProvider implements BackendProvider {

    /** fi_tcp(7): has provider tcp use io_uring for its sockets. */
    private static final String URING = "FI_TCP_IO_URING";

    /** Called by the ServiceLoader. */
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
        refuseUring(config.provider(), System.getProperty("netio.fi." + URING, System.getenv(URING)));
        LibFabric library = load();
        new AddressSelection(library, config.provider()).requireProvider(); // before there is anything to give back
        return new LibfabricBackend(library, config, loop, callbacks);
    }

    /**
     * With io_uring, provider tcp hands its sends to the kernel when a queue is read next, and not when they are posted. A loop
     * that sleeps until there is something to read would wait for ever, and fi_trywait(3) does not tell it (2.6.0,
     * xnet_progress.c).
     */
    static void refuseUring(String provider, @Nullable String setting) {
        boolean off = setting == null || List.of("", "0", "no", "false", "off").contains(setting.toLowerCase(Locale.ROOT));
        if (provider.equals("tcp") && !off) {
            throw new NotSupportedException(URING + "=" + setting + " is set, and libfabric's provider tcp with io_uring leaves"
                    + " messages unsent while the event loop sleeps. Unset it, or set it to 0");
        }
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
