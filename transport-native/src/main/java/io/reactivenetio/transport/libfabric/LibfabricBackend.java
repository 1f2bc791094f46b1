// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FabricException;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.base.BackendBase;
import io.reactivenetio.transport.base.Listener;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** The network backend over libfabric: finds fabrics and makes endpoints; the endpoints do the rest. */
final class LibfabricBackend extends BackendBase<FiInfo, ActiveEndpoint> {
    private final LibFabric library;
    private final AddressSelection addresses;
    private final LoopFabrics fabrics;

    LibfabricBackend(LibFabric library, BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        super(config, loop, callbacks, 0, false);
        this.library = library;
        this.addresses = new AddressSelection(library, config.provider());
        this.fabrics = new LoopFabrics(context(), library);
        closeWithLoop();
    }

    /** What its loop has opened. */
    LoopFabrics fabrics() {
        return fabrics;
    }

    /** Takes a connection request over, on this loop; false if it is to be rejected. */
    boolean accept(FiInfo info, PassiveEndpoint from, ConnectionParameters parameters) {
        InetSocketAddress said = info.destAddress();
        InetSocketAddress remote = said != null ? said : new InetSocketAddress(0);
        ActiveEndpoint endpoint;
        try {
            endpoint = openAccepted(remote, from.handle(), parameters);
        } catch (RuntimeException e) {
            info.close();
            from.released(remote);
            report(e);
            return false;
        }
        try {
            endpoint.accept(info, from.fabricName(), from);
            return true;
        } catch (RuntimeException e) {
            report(e);
            endpoint.close(null);
            return endpoint.tookRequest();
        }
    }

    private void report(RuntimeException e) {
        context().report(e instanceof FabricException ? new NetioException(String.valueOf(e.getMessage()), e) : e);
    }

    // ---- for the base

    @Override
    protected FiInfo resolveLocal(SocketAddress address) throws UnknownHostException {
        try {
            return addresses.local(Addresses.inet(address));
        } catch (FabricException e) {
            throw new NetioBindException("cannot listen on " + Addresses.format(address) + " with provider "
                    + config().provider() + ": " + (addresses.isPortRefused(Addresses.inet(address), e)
                            ? "the port is in use, or below 1024 and not allowed" : e.getMessage() + addresses.hint(e)), e);
        }
    }

    @Override
    protected FiInfo resolveRemote(SocketAddress address) throws UnknownHostException {
        try {
            return addresses.remote(Addresses.inet(address));
        } catch (FabricException e) {
            throw new NetioConnectException("cannot connect to " + Addresses.format(address) + " with provider "
                    + config().provider() + ": " + e.getMessage() + addresses.hint(e), e);
        }
    }

    @Override
    protected Listener listen(FiInfo info, SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        try (info) {
            fabrics.requireFit(info, parameters);
            return new PassiveEndpoint(this, fabrics.resources(info.fabricName(), info), info, parameters, attachment, chooser);
        } catch (FabricException e) {
            throw new NetioBindException("cannot listen on " + Addresses.format(address) + ": "
                    + library.strerror(e.code()), e);
        }
    }

    @Override
    protected ActiveEndpoint endpoint(SocketAddress remote, @Nullable ListenEndpoint parent,
            ConnectionParameters parameters) {
        return new ActiveEndpoint(context(), fabrics, remote, parent, parameters);
    }

    @Override
    protected void connect(ActiveEndpoint endpoint, FiInfo info) {
        endpoint.connect(info);
    }

    @Override
    protected void closeResources() {
        fabrics.close();
    }
}
