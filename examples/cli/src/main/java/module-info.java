// SPDX-License-Identifier: Apache-2.0

/** The netio command line and the demo. */
module io.reactivenetio.examples {
    requires info.picocli;
    requires io.reactivenetio;
    requires org.jspecify;

    opens io.reactivenetio.examples to info.picocli;
}
