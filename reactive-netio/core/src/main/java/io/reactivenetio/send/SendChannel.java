// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import org.jspecify.annotations.Nullable;

/** Where a {@link MessageSender} brings its messages: a stream, or a connection's pages. On the loop, unless said otherwise. */
public interface SendChannel {

    /** Any thread. */
    EventLoop loop();

    /** Messages of up to so many bytes can be sent, whatever their status. Any thread. */
    int alwaysFits();

    /** Why a larger message cannot be sent; null if it can. Any thread. */
    @Nullable RuntimeException refusal(int bytes, int status);

    /** A new sender, which has a subscription. */
    void add(MessageSender<?> sender);

    /** Something has come to the sender, or it has ended. */
    void changed(MessageSender<?> sender);

    /** All that the sender had is in pages, and it waits to know that they have arrived, or left. */
    void awaits(MessageSender<?> sender);

    /** The sender has ended, and has nothing more to do with this. */
    void leave(MessageSender<?> sender);
}
