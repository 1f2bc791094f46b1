// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The report that transfers with --json print: all of stdout must be this one object. */
record JsonReport(long messages, long bytes, double seconds, double mbPerSecond, String sha256, long noResources,
        long maxBufferedBytes) {
    private static final String NUMBER = "(-?[0-9]+(?:\\.[0-9]+)?(?:E-?[0-9]+)?)";
    private static final Pattern OBJECT = Pattern.compile("\\{\"messages\":([0-9]+),\"bytes\":([0-9]+),\"seconds\":" + NUMBER
            + ",\"mbPerSecond\":" + NUMBER + ",\"sha256\":\"([0-9a-f]{64})\",\"noResources\":([0-9]+),"
            + "\"maxBufferedBytes\":([0-9]+)(?:,\"network\":\"[A-Za-z ]+\")?(?:,\"dropped\":[0-9]+)?(?:,\"missed\":[0-9]+)?}\n");

    static JsonReport of(NetioRun run) {
        Matcher object = OBJECT.matcher(run.out());
        assertThat(object.matches()).as("one JSON object: %s", run.out()).isTrue();
        return new JsonReport(Long.parseLong(object.group(1)), Long.parseLong(object.group(2)),
                Double.parseDouble(object.group(3)), Double.parseDouble(object.group(4)), object.group(5),
                Long.parseLong(object.group(6)), Long.parseLong(object.group(7)));
    }
}
