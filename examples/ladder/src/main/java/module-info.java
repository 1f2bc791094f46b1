// SPDX-License-Identifier: Apache-2.0

/** Small programs that show the library step by step. */
module io.reactivenetio.examples.ladder {
    requires transitive io.reactivenetio;

    exports io.reactivenetio.examples.ladder;
    opens io.reactivenetio.examples.ladder to io.reactivenetio; // its codecs make records
}
