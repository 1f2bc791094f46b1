// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;

/** The networks that clients may connect from. */
public final class AllowedNetworks {
    static final AllowedNetworks ALL = new AllowedNetworks(List.of());

    /** The first {@code bits} of an address of {@code length} bits, as a number. */
    private record Prefix(BigInteger first, int bits, int length) {
        static Prefix of(String network) {
            int slash = network.indexOf('/');
            byte[] address;
            int bits;
            try {
                address = InetAddress.ofLiteral(slash < 0 ? network : network.substring(0, slash)).getAddress();
                bits = slash < 0 ? address.length * Byte.SIZE : Integer.parseInt(network.substring(slash + 1));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("no network: \"" + network + "\"; networks are as 192.0.2.0/24, 2001:db8::/32"
                        + " or 192.0.2.7", e);
            }
            int length = address.length * Byte.SIZE;
            BigInteger value = new BigInteger(1, address);
            if (bits < 0 || bits > length || value.getLowestSetBit() >= 0 && value.getLowestSetBit() < length - bits) {
                throw new IllegalArgumentException("no network: \"" + network + "\"; its address may have ones in the first "
                        + bits + " of its " + length + " bits only");
            }
            return new Prefix(value.shiftRight(length - bits), bits, length);
        }

        boolean contains(byte[] address) {
            return address.length * Byte.SIZE == length && new BigInteger(1, address).shiftRight(length - bits).equals(first);
        }
    }

    private final List<Prefix> prefixes;

    private AllowedNetworks(List<Prefix> prefixes) {
        this.prefixes = prefixes;
    }

    /**
     * These networks. With none it is every network.
     *
     * @throws IllegalArgumentException if one of them is none
     */
    public static AllowedNetworks of(String... networks) {
        return new AllowedNetworks(Arrays.stream(networks).map(Prefix::of).toList());
    }

    /** Whether some are named. */
    public boolean areNamed() {
        return !prefixes.isEmpty();
    }

    /** Whether clients may connect from this address. Those of a Unix socket are on no network. */
    public boolean contains(SocketAddress address) {
        if (prefixes.isEmpty() || !(address instanceof InetSocketAddress inet)) {
            return true;
        }
        byte[] bytes = inet.getAddress().getAddress();
        return prefixes.stream().anyMatch(prefix -> prefix.contains(bytes));
    }
}
