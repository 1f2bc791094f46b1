// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.Position;
import java.io.Serializable;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;

/** Where one reader gets the events of its splits from. All calls are on the task's thread. */
interface EventOrigin extends AutoCloseable {
    /** Opens an origin on the machine on which it is used. */
    interface Factory extends Serializable {
        EventOrigin open(String name);
    }

    /**
     * The events of these tags behind {@link NetioSplit#last}, signalled on any thread. For a split without that, {@code onStart}
     * is told on any thread where they begin, if a job that fails before the first of them has to know.
     */
    Publisher<OriginEvent> events(NetioSplit split, Consumer<Position> onStart);

    /** How often a lost connection was made again. Any thread may ask. */
    long reconnects();

    /** Ends everything, and returns when it has ended. */
    @Override
    void close();
}
