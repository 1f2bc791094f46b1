// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FabricException;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.BackendChooser;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.SharedBuffers;
import io.reactivenetio.transport.base.BackendBase;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
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

    LibfabricBackend(LibFabric library, BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        super(config, loop, callbacks, 0);
        this.library = library;
        this.addresses = new AddressSelection(library, config.provider());
        this.traits = ProviderTraits.of(config.provider());
        closeWithLoop();
    }

    // ---- for the endpoints

    ProviderTraits traits() {
        return traits;
    }

    String text(int code) {
        return library.strerror(code);
    }

    /** What this loop has of the fabric {@code name}, which {@code info} describes. */
    FabricResources resources(String name, FiInfo info) {
        return fabrics.computeIfAbsent(name, fabric -> new FabricResources(this, library, fabric, info));
    }

    /** Pieces of memory that are registered with network cards at present; none where the provider needs none. */
    int registeredRegions() {
        return fabrics.values().stream().mapToInt(FabricResources::registeredRegions).sum();
    }

    /** How often completion queues have been read. On the loop. */
    long queueReads() {
        return fabrics.values().stream().mapToLong(fabric -> fabric.queues().reads()).sum();
    }

    /** Fails if a message may be larger than the provider's largest. */
    static void requireFits(FiInfo info, ConnectionParameters parameters, BackendConfig config) {
        requireFits(info, "receive", parameters.receiveBuffers() > 0 ? parameters.receiveBufferSize() : 0);
        requireFits(info, "send", parameters.sendBuffers() > 0 ? parameters.sendBufferSize() : 0);
        requireFits(info, "zero-copy", parameters.region() != null ? parameters.zeroCopySize() : 0);
        SharedBuffers receives = config.sharedReceiveBuffers();
        requireFits(info, "shared receive", receives != null ? receives.size() : 0);
        SharedBuffers sends = config.sharedSendBuffers();
        requireFits(info, "shared send", sends != null ? sends.size() : 0);
    }

    private static void requireFits(FiInfo info, String what, long size) {
        if (size > info.maxMsgSize()) {
            throw new InvalidConnectionParametersException(what + " size of " + size + " bytes: provider " + info.providerName()
                    + " has messages of at most " + info.maxMsgSize());
        }
    }

    /** Takes a connection request over, on this loop; false if it is to be rejected. */
    boolean accept(FiInfo info, PassiveEndpoint from, ConnectionParameters parameters) {
        ActiveEndpoint endpoint;
        try {
            InetSocketAddress remote = info.destAddress();
            endpoint = openAccepted(remote != null ? remote : new InetSocketAddress(0), from.handle(), parameters);
        } catch (RuntimeException e) {
            info.close();
            from.released();
            report(e);
            return false;
        }
        try {
            endpoint.accept(info, from);
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
                            ? "the port is in use, or below 1024 and not allowed" : e.getMessage() + addresses.hint(e)), e);
        }
    }

    @Override
    protected FiInfo resolveRemote(InetSocketAddress address) throws UnknownHostException {
        try {
            return addresses.remote(address);
        } catch (FabricException e) {
            throw new NetioConnectException("cannot connect to " + Addresses.format(address) + " with provider "
                    + config().provider() + ": " + e.getMessage() + addresses.hint(e), e);
        }
    }

    @Override
    protected Listener listen(FiInfo info, InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        try (info) {
            requireFits(info, parameters, config());
            return new PassiveEndpoint(this, resources(info.fabricName(), info), info, parameters, attachment, chooser);
        } catch (FabricException e) {
            throw new NetioBindException("cannot listen on " + Addresses.format(address) + ": "
                    + library.strerror(e.code()), e);
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
    protected boolean supportsCopies() {
        return false;
    }

    @Override
    protected void closeResources() {
        fabrics.values().forEach(FabricResources::close);
        fabrics.clear();
    }
}
