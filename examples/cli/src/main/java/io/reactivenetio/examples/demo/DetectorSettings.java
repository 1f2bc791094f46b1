// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.util.List;
import picocli.CommandLine.Option;

/** How the simulated detector is to be: options of both commands, handed from one to the other. */
final class DetectorSettings {
    @Option(names = "--links", paramLabel = "N", defaultValue = "4",
            description = "Readout links, each a tag of one publisher. Default: ${DEFAULT-VALUE}.")
    int links;

    @Option(names = "--seconds", paramLabel = "S", defaultValue = "10",
            description = "How long the detector takes data. Default: ${DEFAULT-VALUE}.")
    double seconds;

    @Option(names = "--rate", paramLabel = "HZ", defaultValue = "20000",
            description = "Nominal trigger rate: events, and fragments on each link, per second. Default: ${DEFAULT-VALUE}.")
    long rate;

    @Option(names = "--hits", paramLabel = "MEAN", defaultValue = "8",
            description = "Mean number of hits in a fragment, 4 bytes each. Default: ${DEFAULT-VALUE}.")
    double hits;

    @Option(names = "--faults", paramLabel = "PERCENT", defaultValue = "3",
            description = "Fragments truncated or corrupted on purpose. Default: ${DEFAULT-VALUE}.")
    double faults;

    @Option(names = "--seed", paramLabel = "X", defaultValue = "1",
            description = "The same seed gives the same fragments. Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = "--provider", paramLabel = "NAME", defaultValue = "tcp",
            description = "The libfabric provider. Default: ${DEFAULT-VALUE}.")
    String provider = "tcp";

    List<String> arguments() {
        return List.of("--links", Integer.toString(links), "--seconds", Double.toString(seconds), "--rate", Long.toString(rate),
                "--hits", Double.toString(hits), "--faults", Double.toString(faults), "--seed", Long.toString(seed),
                "--provider", provider);
    }

    /** What is wrong with the values, or an empty text. */
    String complaint() {
        if (links < 1 || links > 1000) {
            return "--links must be between 1 and 1000: " + links;
        }
        if (!(seconds > 0 && seconds <= 1_000_000)) {
            return "--seconds must be more than 0: " + seconds;
        }
        if (rate < 1 || rate > 10_000_000) {
            return "--rate must be between 1 and 10000000: " + rate;
        }
        if (!(hits > 0 && hits <= HitGenerator.MAX_MEAN)) {
            return "--hits must be more than 0, and at most " + (int) HitGenerator.MAX_MEAN + ": " + hits;
        }
        return faults >= 0 && faults <= 100 ? "" : "--faults must be between 0 and 100: " + faults;
    }
}
