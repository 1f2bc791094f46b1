// SPDX-License-Identifier: Apache-2.0

/** Records published messages to disk, and serves them again by tag and position. */
module io.reactivenetio.recorder {
    requires transitive io.reactivenetio;
    requires org.slf4j;

    exports io.reactivenetio.recorder;
}
