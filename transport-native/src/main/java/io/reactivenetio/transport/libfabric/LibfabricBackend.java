// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FabricException;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.NetioBindException;
import io.reactivenetio.transport.NetioConnectException;
import io.reactivenetio.transport.base.BackendBase;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The network backend over libfabric: finds fabrics and makes endpoints; the endpoints do the rest. */
final class LibfabricBackend extends BackendBase<FiInfo, ActiveEndpoint> {
    private final LibFabric library;
    private final AddressSelection addresses;
    private final ProviderTraits traits;
    private final Map<String, FabricResources> fabrics = new HashMap<>();
    private long keys;

    LibfabricBackend(LibFabric library, BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        super(config, loop, callbacks);
        this.library = library;
        this.addresses = new AddressSelection(library, config.provider());
        this.traits = ProviderTraits.of(config.provider());
        addresses.requireProvider();
        closeWithLoop();
    }

    // ---- for the endpoints

    ProviderTraits traits() {
        return traits;
    }

    /** tcp 1.17 refuses a second registration under a key in use, so every region gets one of its own. */
    long nextKey() {
        return ++keys;
    }

    String text(int code) {
        return library.strerror(code);
    }

    FabricResources resources(FiInfo info) {
        return fabrics.computeIfAbsent(info.fabricName(), name -> new FabricResources(loop(), library, info));
    }

    /** Takes a connection request over; false if it is to be rejected. */
    boolean accept(FiInfo info, FabricResources fabric, ListenEndpoint listener, ConnectionParameters parameters) {
        ActiveEndpoint endpoint;
        try {
            InetSocketAddress remote = info.destAddress();
            endpoint = accepting(remote != null ? remote : new InetSocketAddress(0), listener, parameters);
        } catch (RuntimeException e) {
            info.close();
            report(e);
            return false;
        }
        try {
            endpoint.accept(info, fabric);
            return true;
        } catch (RuntimeException e) {
            report(e);
            endpoint.close(null);
            return endpoint.tookRequest();
        }
    }

    // ---- for the base

    @Override
    protected FiInfo resolveLocal(InetSocketAddress address) throws UnknownHostException {
        try {
            return addresses.local(address);
        } catch (FabricException e) {
            throw new NetioBindException("cannot listen on " + Addresses.format(address) + " with provider "
                    + config().provider() + ": " + (addresses.isPortRefused(address, e)
                            ? "the port is in use, or below 1024 and not allowed" : e.getMessage()), e);
        }
    }

    @Override
    protected FiInfo resolveRemote(InetSocketAddress address) throws UnknownHostException {
        try {
            return addresses.remote(address);
        } catch (FabricException e) {
            throw new NetioConnectException("cannot connect to " + Addresses.format(address) + " with provider "
                    + config().provider() + ": " + e.getMessage(), e);
        }
    }

    @Override
    protected Listener listen(FiInfo info, InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment) {
        try {
            return new PassiveEndpoint(this, resources(info), info, parameters, attachment);
        } catch (RuntimeException e) {
            info.close();
            throw e instanceof FabricException f
                    ? new NetioBindException("cannot listen on " + Addresses.format(address) + ": "
                            + library.strerror(f.code()), f)
                    : e;
        }
    }

    @Override
    protected ActiveEndpoint endpoint(InetSocketAddress remote, @Nullable ListenEndpoint parent,
            ConnectionParameters parameters) {
        return new ActiveEndpoint(this, remote, parent, parameters);
    }

    @Override
    protected void connect(ActiveEndpoint endpoint, FiInfo info) {
        endpoint.connect(info);
    }

    @Override
    protected void closeRest() {
        fabrics.values().forEach(FabricResources::close);
        fabrics.clear();
    }
}
