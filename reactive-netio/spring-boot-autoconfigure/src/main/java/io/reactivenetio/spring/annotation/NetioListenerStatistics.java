// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

/**
 * What a listener has done since the application was started.
 *
 * @param received how many messages have come
 * @param handled how many its method has done, or was given by a Flux
 * @param failed how many could not be decoded, or have failed for good
 * @param discarded how many were given up when the listener was stopped and did not come to its end in time
 * @param inFlight how many are being worked on now; 0 for a method that takes a Flux
 * @param waiting how many wait now to be worked on; 0 for a method that takes a Flux
 */
public record NetioListenerStatistics(long received, long handled, long failed, long discarded, int inFlight, int waiting) {
}
