// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

/**
 * One place a provider can be used.
 *
 * @param provider the provider's name, for instance {@code tcp}
 * @param providerVersion the provider's own version, for instance {@code 117.0}, or "" if it has none
 * @param domain the interface or device, for instance {@code lo} or {@code mlx5_0}
 * @param address the local address, or "" if it has none
 * @param maxMessageSize the largest message in bytes
 */
public record FabricInterface(String provider, String providerVersion, String domain, String address, long maxMessageSize) {
}
