// SPDX-License-Identifier: Apache-2.0

/** The netio bench command: the library beside a C program that does the same work. */
module io.reactivenetio.benchmarks {
    requires transitive HdrHistogram;
    requires transitive info.picocli;
    requires io.reactivenetio;
    requires java.management;
    requires jdk.management;

    exports io.reactivenetio.benchmarks;

    opens io.reactivenetio.benchmarks to info.picocli;
}
