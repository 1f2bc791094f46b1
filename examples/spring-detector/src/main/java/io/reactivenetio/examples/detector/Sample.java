// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import io.reactivenetio.api.ConnectionState.Status;
import io.reactivenetio.examples.detector.Throttle.Pace;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page is sent: how things are, and counts since the start, of which it makes rates.
 *
 * @param seconds when this is, on a clock of its own
 * @param channels how many channels a link has
 * @param hits how often each channel was hit, those of link 0 first
 * @param latencies how many complete events took 10 us to 16 us, and so on, five bins for each power of ten
 * @param sizes how many complete events had 0 to 7 hits, and so on
 * @param journal what has happened, the last first
 */
record Sample(double seconds, Source source, List<Link> links, List<Consumer> consumers, Events events, int channels,
        List<Long> hits, List<Long> latencies, List<Long> sizes, List<Journal.Line> journal) {

    /** The detector; if it is simulated, with how many events it has taken and how many triggers it had to veto. */
    record Source(boolean simulated, boolean alive, long events, long vetoed) {
    }

    /**
     * A link.
     *
     * @param received how many fragments the readout got
     * @param asked how many the detector was asked for
     * @param demand how many it is asked for now and does not have
     * @param waiting how many it has that nobody has asked for
     * @param room how many may wait
     */
    record Link(long received, long asked, long demand, int waiting, int room) {
    }

    /**
     * A consumer and its connection.
     *
     * @param since since when it is connected, or not
     * @param reason why it is not; null if it is, or nothing is known yet
     * @param connected how often it was connected
     * @param received how many messages it got
     * @param dropped how many the detector dropped, as the consumer was slow
     * @param missed how many were lost with a connection, or published while there was none
     * @param credits receive buffers of the connection
     * @param held messages in them for which there is no demand
     */
    record Consumer(String name, Pace pace, Status status, Instant since, @Nullable String reason, long connected, long received,
            long dropped, long missed, long credits, long held) {
    }

    /** How many events were complete, incomplete and are open, and how many fragments came too late or twice. */
    record Events(long complete, long incomplete, int open, long strays) {
    }
}
