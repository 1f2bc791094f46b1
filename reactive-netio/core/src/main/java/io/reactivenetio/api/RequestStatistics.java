// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.time.Duration;

/**
 * What became of the requests of some connections, on one side, until one moment. A requester's time is that from the
 * subscription to the answer, or to whatever ended the request. A responder's is that from the arrival of the request until its
 * answer is there to be sent.
 *
 * @param underWay requests that are not ended now, also those that wait to be sent
 * @param answered requests that ended with {@link RequestOutcome#ANSWERED}
 * @param refused requests that ended with {@link RequestOutcome#REFUSED}
 * @param failed requests that ended with {@link RequestOutcome#FAILED}
 * @param cancelled requests that ended with {@link RequestOutcome#CANCELLED}
 * @param lost requests that ended with {@link RequestOutcome#LOST}
 * @param totalTime what all requests that ended have taken together
 * @param maxTime what the longest of them has taken
 */
public record RequestStatistics(long underWay, long answered, long refused, long failed, long cancelled, long lost,
        Duration totalTime, Duration maxTime) {

    /** How many requests have ended. */
    public long ended() {
        return answered + refused + failed + cancelled + lost;
    }
}
