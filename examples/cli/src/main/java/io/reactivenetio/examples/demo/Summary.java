// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of a run.
 *
 * @param links the links, by number
 * @param status the detector's last word
 * @param nominalRate the trigger rate asked for, Hz
 * @param events events built
 * @param damaged of them, those with a fragment that is damaged or missing
 * @param reconnects how often the connection was lost and made again
 * @param complaints what is not as it should be; empty if all is well
 */
record Summary(List<LinkResult> links, DetectorStatus status, long nominalRate, long events, long damaged,
        long reconnects, List<String> complaints) {

    /** Compares both accounts. */
    static Summary of(List<LinkTally> tallies, Readout readout, DetectorStatus status, DetectorSettings settings,
            EventMonitor monitor) {
        List<String> complaints = new ArrayList<>();
        List<LinkResult> links = tallies.stream().sorted(Comparator.comparingInt(LinkTally::link))
                .map(tally -> LinkResult.of(tally, readout.links().get(tally.link()))).toList();
        links.forEach(link -> complaints.addAll(link.complaints()));
        if (links.size() != settings.links) {
            complaints.add(links.size() + " of " + settings.links + " links gave their tally");
        }
        if (monitor.events() != status.issued()) {
            complaints.add(status.issued() + " triggers gave " + monitor.events() + " events");
        }
        if (monitor.misaligned() != 0) {
            complaints.add(monitor.misaligned() + " events were built of fragments that do not belong together");
        }
        return new Summary(links, status, settings.rate, monitor.events(), monitor.damaged(), readout.reconnects(),
                List.copyOf(complaints));
    }

    boolean ok() {
        return complaints.isEmpty();
    }

    /** Over the time the detector took data, without what it waited for the end. */
    double rate() {
        return status.due() == 0 ? 0 : (double) nominalRate * status.issued() / status.due();
    }

    private double busyPercent() {
        return status.busySince(DetectorStatus.none()) * 100;
    }

    private long stalls() {
        return links.stream().mapToLong(link -> link.tally().stalls()).sum();
    }

    private long faults() {
        return links.stream().mapToLong(link -> link.truncated() + link.corrupted()).sum();
    }

    /** A table, and whether all is well in the last line. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("                                 MB    truncated    corrupted");
        lines.add("link       sent   received received     in/found     in/found missing    stalls");
        for (LinkResult link : links) {
            LinkTally tally = link.tally();
            lines.add(Text.format("%4d%,11d%,11d%9.2f%13s%13s%,8d%,10d", tally.link(), tally.sent(), link.received(),
                    link.bytes() / 1e6, Text.format("%,d/%,d", tally.truncated(), link.truncated()),
                    Text.format("%,d/%,d", tally.corrupted(), link.corrupted()), link.missing(), tally.stalls()));
        }
        lines.add(Text.format("trigger %,.0f of %,d Hz, busy %.1f %%, stalls %,d, reconnects %,d",
                rate(), nominalRate, busyPercent(), stalls(), reconnects));
        lines.add(Text.format("events %,d, complete %,d, with a damaged or missing fragment %,d",
                events, events - damaged, damaged));
        lines.add(ok()
                ? Text.format("OK: sent == received, the %,d injected faults found exactly, nothing missing", faults())
                : "FAILED: " + String.join("; ", complaints));
        return lines;
    }

    String json() {
        String perLink = links.stream().map(link -> Text.format("{\"link\":%d,\"sent\":%d,\"received\":%d,\"bytes\":%d,"
                + "\"truncatedInjected\":%d,\"truncatedFound\":%d,\"corruptedInjected\":%d,\"corruptedFound\":%d,"
                + "\"missing\":%d,\"stalls\":%d}", link.tally().link(), link.tally().sent(), link.received(), link.bytes(),
                link.tally().truncated(), link.truncated(), link.tally().corrupted(), link.corrupted(), link.missing(),
                link.tally().stalls())).collect(Collectors.joining(","));
        String wrong = complaints.stream().map(c -> "\"" + c + "\"").collect(Collectors.joining(","));
        return Text.format("{\"ok\":%b,\"events\":%d,\"damagedEvents\":%d,\"nominalRate\":%d,\"triggerRate\":%.1f,"
                + "\"busyPercent\":%.2f,\"stalls\":%d,\"reconnects\":%d,\"links\":[%s],\"complaints\":[%s]}",
                ok(), events, damaged, nominalRate, rate(), busyPercent(), stalls(), reconnects, perLink, wrong);
    }
}
