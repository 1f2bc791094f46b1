// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

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
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** Makes the plain-TCP backend, which needs nothing but Linux. Found by ServiceLoader. */
public final class TcpProvider implements BackendProvider {
    private static final String NAME = "tcp";

    /** Called by the ServiceLoader. */
    public TcpProvider() {
    }

    @Override
    public BackendType type() {
        return BackendType.TCP;
    }

    @Override
    public NetworkBackend create(BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        return new TcpBackend(config, loop, callbacks);
    }

    @Override
    public NativeLibrary library() {
        return new NativeLibrary(System.getProperty("os.name") + " " + System.getProperty("os.version"), "", true, List.of());
    }

    @Override
    public List<FabricInterface> interfaces() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(device -> device.inetAddresses().map(address -> new FabricInterface(NAME, "", device.getName(),
                            Addresses.format(new InetSocketAddress(address, 0)).replaceFirst(":0$", ""), Integer.MAX_VALUE)))
                    .toList();
        } catch (SocketException e) {
            throw new BackendUnavailableException("cannot list the network interfaces: " + e.getMessage(), e);
        }
    }
}
