// SPDX-License-Identifier: Apache-2.0

/** The netio command line and the demo. */
module io.reactivenetio.examples {
    requires info.picocli;
    requires io.reactivenetio;
    requires io.reactivenetio.benchmarks;
    requires io.reactivenetio.examples.ladder;

    opens io.reactivenetio.examples to info.picocli, io.reactivenetio;
    opens io.reactivenetio.examples.cli to info.picocli;
    opens io.reactivenetio.examples.conformance to info.picocli;
    opens io.reactivenetio.examples.demo to info.picocli;
}
