// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Socket addresses as people write them. */
public final class Addresses {

    private Addresses() {
    }

    /** {@code host:port}, {@code 127.0.0.1:port} or {@code [::1]:port}. */
    public static String format(InetSocketAddress address) {
        if (address.isUnresolved()) {
            String name = address.getHostString();
            return (name.indexOf(':') >= 0 ? "[" + name + "]" : name) + ":" + address.getPort();
        }
        String host = address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** Looks the name up if that is still to be done; blocks, so never on a loop. */
    public static InetSocketAddress resolve(InetSocketAddress address) throws UnknownHostException {
        return address.isUnresolved()
                ? new InetSocketAddress(InetAddress.getByName(address.getHostString()), address.getPort())
                : address;
    }
}
