// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.simulation.WorldNetwork;

/**
 * The surroundings of a program.
 *
 * @param loops 1 if both ends are on the same loop
 * @param connections plain connections that are there from the start
 * @param latencyMicros the longest that a message takes
 */
record Setup(int loops, int connections, int bufferSize, int receiveBuffers, int sendBuffers, int maxMessage, int prefetch,
        SlowPolicy policy, int queue, int latencyMicros, int kernelMessages) {

    WorldNetwork.Weather weather() {
        return new WorldNetwork.Weather(1_000L * latencyMicros, 0, 0, kernelMessages, false);
    }
}
