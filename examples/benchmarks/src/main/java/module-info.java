// SPDX-License-Identifier: Apache-2.0

/** The netio bench command: the library beside a C program that does the same work, and the pieces of the library. */
module io.reactivenetio.benchmarks {
    requires transitive HdrHistogram;
    requires transitive info.picocli;
    requires io.reactivenetio;
    requires java.management;
    requires jdk.management;
    requires static jmh.core; // for the micro-benchmarks, which run on the class path

    exports io.reactivenetio.benchmarks;

    opens io.reactivenetio.benchmarks to info.picocli;
}
