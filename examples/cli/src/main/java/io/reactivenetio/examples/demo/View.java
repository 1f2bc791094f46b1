// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.time.Duration;

/** Shows how the run is going. One thread at a time; {@link #close} on any. */
interface View extends AutoCloseable {

    /** How often it wants a sample. */
    Duration period();

    void show(Sample sample);

    /** It has gone to its end: nothing is shown after this. */
    void end(Summary summary);

    /** Leaves the terminal as it was. */
    @Override
    void close();
}
