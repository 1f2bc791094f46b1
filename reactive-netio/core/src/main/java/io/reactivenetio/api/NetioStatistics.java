// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.util.Map;

/**
 * What the connections of some servers and clients have done together until one moment. Counts never go back when a connection
 * ends.
 *
 * @param connectionsOpened connections that were ever established
 * @param connections connections open now
 * @param networks how many of the open connections each network carries
 * @param total what they have done together; figures of "now" are those of the connections that are open
 * @param requests the requests that this side has made
 * @param responses the requests that this side has answered, or was to answer
 */
public record NetioStatistics(long connectionsOpened, int connections, Map<Network, Integer> networks,
        ConnectionStatistics total, RequestStatistics requests, RequestStatistics responses) {
}
