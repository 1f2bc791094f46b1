// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.io.Serializable;
import org.reactivestreams.Publisher;

/** Where one reader gets the events of its splits from. All calls are on the task's thread. */
interface EventOrigin extends AutoCloseable {
    /** Opens an origin on the machine on which it is used. */
    interface Factory extends Serializable {
        EventOrigin open(String name);
    }

    /** The events of these tags behind {@link NetioSplit#last}, signalled on any thread. */
    Publisher<OriginEvent> events(NetioSplit split);

    /** How often a lost connection was made again. Any thread may ask. */
    long reconnects();

    /** Ends everything, and returns when it has ended. */
    @Override
    void close();
}
