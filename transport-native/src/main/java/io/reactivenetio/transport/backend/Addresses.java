// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/** Socket addresses as people write them. */
public final class Addresses {
    private static final int PREFIX_BYTES = 8;

    private Addresses() {
    }

    /**
     * {@code host:port}, {@code 127.0.0.1:port} or {@code [::1]:port}; {@code unix:path} of a Unix socket, or {@code
     * unix:(unnamed)} of its client.
     */
    public static String format(SocketAddress address) {
        if (address instanceof InetSocketAddress inet) {
            return format(inet);
        }
        String path = address.toString();
        return "unix:" + (path.isEmpty() ? "(unnamed)" : path);
    }

    private static String format(InetSocketAddress address) {
        if (address.isUnresolved()) {
            String name = address.getHostString();
            return (name.indexOf(':') >= 0 ? "[" + name + "]" : name) + ":" + address.getPort();
        }
        String host = address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /**
     * What counts as one peer, which is equal for all of its addresses: an IPv4 address, or the first 64 bits of one of IPv6,
     * since a host may have all addresses behind them. All clients of Unix sockets are one.
     */
    public static Object peer(SocketAddress address) {
        return switch (address) {
            case InetSocketAddress inet when inet.getAddress() instanceof Inet6Address v6 -> ByteBuffer.wrap(v6.getAddress(), 0,
                PREFIX_BYTES);
            case InetSocketAddress inet when inet.getAddress() != null -> inet.getAddress();
            default -> address;
        };
    }

    /** The port; 0 for a Unix socket. */
    public static int port(SocketAddress address) {
        return address instanceof InetSocketAddress inet ? inet.getPort() : 0;
    }

    /**
     * Returns the address if it is one that a backend may be given.
     *
     * @throws InvalidEndpointAddressException if it is of a kind that there is none for
     */
    public static SocketAddress valid(SocketAddress address) {
        if (address instanceof InetSocketAddress || address instanceof UnixDomainSocketAddress) {
            return address;
        }
        throw new InvalidEndpointAddressException("an address is an InetSocketAddress or a UnixDomainSocketAddress: " + address
                + " is a " + address.getClass().getName());
    }

    /**
     * Returns the address if it is an IP address or a host name, for a backend that has no others.
     *
     * @throws InvalidEndpointAddressException if it is not
     */
    public static InetSocketAddress inet(SocketAddress address) {
        if (valid(address) instanceof InetSocketAddress inet) {
            return inet;
        }
        throw new InvalidEndpointAddressException(format(address) + ": Unix sockets go over plain TCP only, with the backend TCP"
                + " or AUTO");
    }

    /**
     * Looks the name up if that is still to be done; blocks, so never on a loop.
     *
     * @throws UnknownHostException if the name has no address, or the address does not say on which interface it is; its message
     *     is for users
     */
    public static SocketAddress resolve(SocketAddress address) throws UnknownHostException {
        return valid(address) instanceof InetSocketAddress inet ? resolve(inet) : address;
    }

    /** Looks the name up if that is still to be done; see the other method of this name. */
    public static InetSocketAddress resolve(InetSocketAddress address) throws UnknownHostException {
        if (!address.isUnresolved()) {
            requireZone(address.getAddress());
            return address;
        }
        InetAddress found;
        try {
            found = InetAddress.getByName(address.getHostString());
        } catch (UnknownHostException e) {
            throw unknown(address.getHostString(), e);
        }
        requireZone(found);
        return new InetSocketAddress(found, address.getPort());
    }

    /** Every link has the same addresses of this kind, and so the kernel has to be told which link is meant. */
    private static void requireZone(InetAddress address) throws UnknownHostException {
        if (address instanceof Inet6Address v6 && v6.isLinkLocalAddress() && v6.getScopeId() == 0) {
            String text = v6.getHostAddress();
            throw new UnknownHostException("the link-local address " + text + " needs its network interface, as in " + text
                    + "%eth0");
        }
    }

    /** What to tell users of a host that could not be looked up. */
    public static UnknownHostException unknown(String host, UnknownHostException cause) {
        int zone = host.indexOf(':') < 0 ? -1 : host.indexOf('%');
        UnknownHostException told = new UnknownHostException("cannot resolve host '" + host + "'" + (zone < 0 ? ""
                : "; there is no network interface '" + host.substring(zone + 1) + "' here"));
        told.initCause(cause);
        return told;
    }
}
