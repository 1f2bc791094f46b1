// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.util.List;

/**
 * All counters at one moment; two of them make a rate.
 *
 * @param nanos when
 * @param events events built
 * @param status the last word of the detector
 * @param links the links, by number
 */
record Sample(long nanos, long events, DetectorStatus status, List<Link> links) {

    /**
     * One link's.
     *
     * @param demand how many fragments more the readout has asked for
     * @param stalls how often the detector had fragments that nobody had asked for
     */
    record Link(int number, long received, long bytes, long demand, long stalls,
            long truncated, long corrupted, long missing) {
    }

    static Sample of(List<ReadoutLink> links, EventMonitor monitor, DetectorStatus status) {
        return new Sample(System.nanoTime(), monitor.events(), status, links.stream().map(link -> link(link, status)).toList());
    }

    private static Link link(ReadoutLink link, DetectorStatus status) {
        return new Link(link.number(), link.received(), link.bytes(), link.demand(), status.stalls(link.number()),
                link.faults().truncated(), link.faults().corrupted(), link.missing() + link.misplaced());
    }

    double secondsSince(Sample before) {
        return Math.max(1e-9, (nanos - before.nanos) / 1e9);
    }

    double eventsPerSecondSince(Sample before) {
        return (events - before.events) / secondsSince(before);
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
