// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.demo.event.EventMonitor;
import io.reactivenetio.examples.demo.event.FaultCount;
import io.reactivenetio.examples.demo.screen.Histogram;
import java.util.List;

/**
 * All counters at one moment; two of them make a rate.
 *
 * @param nanos when
 * @param events events built
 * @param damaged of them, those with a fragment that is damaged or missing
 * @param misaligned of them, those of fragments that do not belong together
 * @param reconnects how often the connection was lost and made again
 * @param status the last word of the detector
 * @param links the links, by number
 * @param hits how many fragments had how many hits
 */
record Sample(long nanos, long events, long damaged, long misaligned, long reconnects, DetectorStatus status, List<Link> links,
        Histogram.Counts hits) {

    /**
     * One link's.
     *
     * @param demand how many fragments more the readout has asked for
     * @param stalls how often the detector had fragments that nobody had asked for
     * @param truncated fragments found truncated
     * @param corrupted fragments found corrupted
     * @param digest which were, see {@link FaultCount#digest}
     * @param missing fragments that were sent and did not arrive
     * @param misplaced fragments in the wrong place
     */
    record Link(int number, long received, long bytes, long demand, long stalls, long truncated, long corrupted, long digest,
            long missing, long misplaced) {
    }

    static Sample of(Readout readout, EventMonitor monitor, DetectorStatus status) {
        return new Sample(System.nanoTime(), monitor.events(), monitor.damaged(), monitor.misaligned(), readout.reconnects(),
                status, readout.links().stream().map(link -> link(link, status)).toList(), readout.hits());
    }

    private static Link link(ReadoutLink link, DetectorStatus status) {
        FaultCount faults = link.faults();
        return new Link(link.number(), link.received(), link.bytes(), link.demand(), status.stalls(link.number()),
                faults.truncated(), faults.corrupted(), faults.digest(), link.missing(), link.misplaced());
    }

    double secondsSince(Sample before) {
        return Math.max(1e-9, (nanos - before.nanos) / 1e9);
    }

    double eventsPerSecondSince(Sample before) {
        return (events - before.events) / secondsSince(before);
    }

    /** Events per second, over the time in which the detector took data: without what it waited for the end. */
    double rate(long nominal) {
        return status.due() == 0 ? 0 : (double) nominal * status.issued() / status.due();
    }

    /** The share of events that were lost, 0 to 1. */
    double busy() {
        return status.busySince(DetectorStatus.none());
    }

    long received() {
        return links.stream().mapToLong(Link::received).sum();
    }

    long bytes() {
        return links.stream().mapToLong(Link::bytes).sum();
    }

    long truncated() {
        return links.stream().mapToLong(Link::truncated).sum();
    }

    long corrupted() {
        return links.stream().mapToLong(Link::corrupted).sum();
    }

    long missing() {
        return links.stream().mapToLong(Link::missing).sum();
    }

    long stalls() {
        return links.stream().mapToLong(Link::stalls).sum();
    }

    long demand() {
        return links.stream().mapToLong(Link::demand).sum();
    }
}
