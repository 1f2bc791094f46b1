// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.diagnostics;

import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do when an application does not start because of the network, or because of what is missing for it. */
final class NetioFailureAnalyzer extends AbstractFailureAnalyzer<NetioException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, NetioException cause) {
        String action = action(cause);
        return action == null ? null : new FailureAnalysis(capital(String.valueOf(cause.getMessage())) + ".", action, cause);
    }

    private static @Nullable String action(NetioException cause) {
        return switch (cause) {
            case BackendUnavailableException missing when String.valueOf(missing.getMessage()).contains("provider '") ->
                "Set netio.provider, or that of the server or client, to one that is offered; tcp works everywhere. Providers for"
                        + " RDMA need their device and packages, which docs/networks.md of reactive-netio lists.";
            case BackendUnavailableException _ -> "Install libfabric 1.17 or later, for instance with: apt install libfabric1."
                    + " Where it lies elsewhere, start the JVM with -Dnetio.libfabric=PATH. Or set netio.backend=tcp, on both"
                    + " sides, to use plain TCP, which needs no libfabric.";
            case NetioBindException _ -> "Stop the process that listens on this port, or set netio.server.port to another one; 0"
                    + " is a free one. netio.server.address has to be an address of this machine, or 0.0.0.0 for all of them.";
            case NetioProtocolException _ -> "Set framing to the same on both sides, here with netio.server.framing or"
                    + " netio.clients.<name>.framing, and backend as well. See that nothing else listens on that port.";
            case NetioConnectException _ -> "Start the peer, or correct netio.clients.<name>.host and port. A bean that connects"
                    + " while the application starts needs its peer then: subscribe without waiting, or retry.";
            case InvalidEndpointAddressException _ -> "Correct netio.server.address or netio.clients.<name>.host.";
            case NotSupportedException _ -> "Change the netio.* properties as the description says.";
            default -> null;
        };
    }

    static String capital(String text) {
        return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
