// SPDX-License-Identifier: Apache-2.0

/** Small programs that show the library step by step. */
@SuppressWarnings("module") // the module of the command line is made of this one, and so later
module io.reactivenetio.examples.ladder {
    requires transitive io.reactivenetio;

    exports io.reactivenetio.examples.ladder to io.reactivenetio.examples;
    opens io.reactivenetio.examples.ladder to io.reactivenetio; // its codecs make records
}
