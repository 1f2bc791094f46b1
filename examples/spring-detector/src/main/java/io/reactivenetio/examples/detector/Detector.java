// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

/** Where the fragments come from, as far as the application knows. Any thread. */
interface Detector {
    /** Whether it is the simulated one: of another there are no counts, and nobody kills it. */
    boolean isSimulated();

    /** Whether it takes data. */
    boolean isAlive();

    /** How many events it has taken. */
    long events();

    /** How many triggers were vetoed, as a link's FIFO was full. */
    long vetoed();

    /** How a link is, of which {@code received} fragments have arrived. */
    Sample.Link link(int number, long received);

    /** Ends it as the death of its process would: nobody listens, connections break, and what waits there is lost. */
    void kill();

    /** Has it take data again, on the same port. Its events are numbered on. */
    void revive();
}
