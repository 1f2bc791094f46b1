// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FabricException;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.NetioBindException;
import io.reactivenetio.transport.NetioConnectException;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.SendBuffer;
import io.reactivenetio.transport.SendStatus;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The network backend over libfabric: opens, finds and closes endpoints; the endpoints do the rest. */
final class LibfabricBackend implements NetworkBackend {
    private static final Logger LOG = LoggerFactory.getLogger(LibfabricBackend.class);

    private final LibFabric library;
    private final BackendConfig config;
    private final EventLoop loop;
    private final BackendCallbacks callbacks;
    private final AddressSelection addresses;
    private final ProviderTraits traits;
    private final Map<String, FabricResources> fabrics = new HashMap<>();
    private final Set<PassiveEndpoint> listening = new LinkedHashSet<>();
    private final Set<ActiveEndpoint> connections = new LinkedHashSet<>();
    private long keys;
    private boolean closed;

    LibfabricBackend(LibFabric library, BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        this.library = library;
        this.config = config;
        this.loop = loop;
        this.callbacks = callbacks;
        this.addresses = new AddressSelection(library, config.provider());
        this.traits = ProviderTraits.of(config.provider());
        addresses.requireProvider();
        loop.onClose(this::close);
    }

    // ---- for the endpoints

    EventLoop loop() {
        return loop;
    }

    BackendCallbacks callbacks() {
        return callbacks;
    }

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
        return fabrics.computeIfAbsent(info.fabricName(), name -> new FabricResources(loop, library, info));
    }

    /** Hands what a callback threw to the loop's own handler of such things. */
    void report(Throwable thrown) {
        try {
            loop.execute(() -> {
                if (thrown instanceof Error error) {
                    throw error;
                }
                throw thrown instanceof RuntimeException e ? e : new IllegalStateException(thrown);
            });
        } catch (RejectedExecutionException terminating) {
            LOG.error("A callback failed while its loop ended", thrown);
        }
    }

    // ---- listening

    @Override
    public ListenEndpoint openListenEndpoint(InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment) {
        FiInfo info;
        try {
            info = addresses.local(address);
        } catch (UnknownHostException e) {
            throw new NetioBindException("cannot resolve host '" + address.getHostString() + "'", e);
        } catch (FabricException e) {
            throw new NetioBindException("cannot listen on " + Addresses.format(address) + " with provider "
                    + config.provider() + ": " + e.getMessage(), e);
        }
        try {
            if (loop.inEventLoop()) {
                return listen(info, address, parameters, attachment);
            }
            CompletableFuture<ListenEndpoint> result = new CompletableFuture<>();
            loop.execute(() -> {
                try {
                    result.complete(listen(info, address, parameters, attachment));
                } catch (RuntimeException e) {
                    result.completeExceptionally(e);
                }
            });
            return result.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        } catch (RejectedExecutionException e) {
            info.close();
            throw new NetioBindException("the event loop has terminated", e);
        }
    }

    private ListenEndpoint listen(FiInfo info, InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment) {
        try {
            checkOpen();
            PassiveEndpoint endpoint = new PassiveEndpoint(this, resources(info), info, parameters, attachment);
            listening.add(endpoint);
            return endpoint.handle();
        } catch (RuntimeException e) {
            info.close();
            throw e instanceof FabricException f
                    ? new NetioBindException("cannot listen on " + Addresses.format(address) + ": "
                            + library.strerror(f.code()), f)
                    : e;
        }
    }

    /** Takes a connection request over; false if it is to be rejected. */
    boolean accept(FiInfo info, FabricResources fabric, ListenEndpoint listener, ConnectionParameters parameters) {
        ActiveEndpoint endpoint;
        try {
            InetSocketAddress remote = info.destAddress();
            endpoint = new ActiveEndpoint(this, remote != null ? remote : new InetSocketAddress(0), listener, parameters);
        } catch (RuntimeException | OutOfMemoryError e) {
            info.close();
            report(e);
            return false;
        }
        connections.add(endpoint);
        try {
            endpoint.accept(info, fabric);
            return true;
        } catch (RuntimeException e) {
            report(e);
            endpoint.close(null);
            return false;
        }
    }

    // ---- connecting

    @Override
    public Endpoint openActiveEndpoint(InetSocketAddress address, ConnectionParameters parameters) {
        checkLoop();
        checkOpen();
        ActiveEndpoint endpoint = new ActiveEndpoint(this, address, null, parameters);
        connections.add(endpoint);
        Resolver.execute(() -> resolve(endpoint, address));
        endpoint.deadline(loop.schedule(() -> timeOut(endpoint), config.connectTimeout().toNanos(), TimeUnit.NANOSECONDS));
        return endpoint.handle();
    }

    private void resolve(ActiveEndpoint endpoint, InetSocketAddress address) {
        FiInfo info = null;
        NetioException problem = null;
        try {
            info = addresses.remote(address);
        } catch (UnknownHostException e) {
            problem = new NetioConnectException("cannot resolve host '" + address.getHostString() + "'", e);
        } catch (RuntimeException e) {
            problem = new NetioConnectException("cannot connect to " + Addresses.format(address) + " with provider "
                    + config.provider() + ": " + e.getMessage(), e);
        }
        FiInfo found = info;
        NetioException failure = problem;
        try {
            loop.execute(() -> connect(endpoint, address, found, failure));
        } catch (RejectedExecutionException e) {
            if (found != null) {
                found.close();
            }
        }
    }

    private void connect(ActiveEndpoint endpoint, InetSocketAddress address, @Nullable FiInfo info,
            @Nullable NetioException problem) {
        if (info == null) {
            endpoint.close(problem);
            return;
        }
        if (endpoint.isClosed()) {
            info.close();
            return;
        }
        try {
            endpoint.connect(info);
        } catch (RuntimeException e) {
            endpoint.close(new NetioConnectException("cannot connect to " + Addresses.format(address) + ": "
                    + e.getMessage(), e));
        }
    }

    private void timeOut(ActiveEndpoint endpoint) {
        if (endpoint.isOpening()) {
            endpoint.close(new NetioConnectException("connecting to " + Addresses.format(endpoint.handle().remoteAddress())
                    + " took longer than " + config.connectTimeout().toMillis() + " ms", null));
        }
    }

    // ---- sending

    @Override
    public @Nullable SendBuffer getBuffer(Endpoint endpoint) {
        checkLoop();
        return of(endpoint).getBuffer();
    }

    @Override
    public SendStatus sendBuffer(Endpoint endpoint, SendBuffer buffer, CompletionLevel level) {
        checkLoop();
        return buffer instanceof SendSlot slot ? of(endpoint).send(slot, level) : SendStatus.FAILED;
    }

    @Override
    public int freeSendBuffers(Endpoint endpoint) {
        checkLoop();
        return of(endpoint).freeSendBuffers();
    }

    @Override
    public int creditsPosted(Endpoint endpoint) {
        checkLoop();
        return of(endpoint).creditsPosted();
    }

    private static ActiveEndpoint of(Endpoint endpoint) {
        return (ActiveEndpoint) endpoint.implementation();
    }

    // ---- what endpoints report

    void closing(ActiveEndpoint endpoint, boolean opening, boolean lingers) {
        if (closed) {
            return;
        }
        if (lingers && traits.lingerMillis() > 0) {
            loop.schedule(() -> endpoint.teardown(opening), traits.lingerMillis(), TimeUnit.MILLISECONDS);
        } else {
            loop.atEndOfTurn(() -> endpoint.teardown(opening));
        }
    }

    void closed(ActiveEndpoint endpoint, boolean opening, List<Integer> cancelled, @Nullable NetioException cause) {
        connections.remove(endpoint);
        try {
            tellEnd(endpoint, opening, cancelled, cause);
        } catch (RuntimeException e) {
            report(e);
        }
    }

    private void tellEnd(ActiveEndpoint endpoint, boolean opening, List<Integer> cancelled, @Nullable NetioException cause) {
        if (!opening) {
            callbacks.onConnectionClosed(endpoint.handle(), cancelled, cause);
        } else if (endpoint.handle().listenEndpoint() == null) {
            NetioException reason = cause != null ? cause : new NetioConnectException("connecting to "
                    + Addresses.format(endpoint.handle().remoteAddress()) + ": closed before it was established", null);
            callbacks.onConnectionRefused(endpoint.handle(), reason);
        }
    }

    // ---- closing

    @Override
    public void closeActiveEndpoint(Endpoint endpoint) {
        checkLoop();
        of(endpoint).close(null);
    }

    @Override
    public void closeListenEndpoint(ListenEndpoint endpoint) {
        checkLoop();
        PassiveEndpoint passive = (PassiveEndpoint) endpoint.implementation();
        listening.remove(passive);
        passive.close();
    }

    @Override
    public void close() {
        checkLoop();
        if (closed) {
            return;
        }
        closed = true;
        listening.forEach(PassiveEndpoint::close);
        listening.clear();
        for (ActiveEndpoint endpoint : new ArrayList<>(connections)) {
            boolean opening = endpoint.isOpening();
            endpoint.close(null);
            endpoint.teardown(opening);
        }
        fabrics.values().forEach(FabricResources::close);
        fabrics.clear();
    }

    private void checkLoop() {
        if (!loop.inEventLoop()) {
            throw new IllegalStateException("called on thread " + Thread.currentThread().getName() + ", not on the event loop");
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the backend is closed");
        }
    }
}
