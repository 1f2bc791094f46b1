// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import io.reactivenetio.loop.EventLoop;
import org.jspecify.annotations.Nullable;

/** Takes the messages of a {@link MessageSender}: a stream, or a connection's pages. On the loop, unless said otherwise. */
public interface SendChannel {

    /** The loop that sends. Any thread. */
    EventLoop loop();

    /** The size in bytes up to which messages can be sent, whatever their status. Any thread. */
    int alwaysFits();

    /** Why a message of this size, which is larger than that, cannot be sent; null if it can. Any thread. */
    @Nullable RuntimeException refusal(int bytes, int status);

    /** Adds a sender, which has a subscription. */
    void add(MessageSender<?> sender);

    /** Called when the sender has got an element, or has ended. */
    void changed(MessageSender<?> sender);

    /** Called when all messages of the sender are in pages, and the sender waits until they have arrived, or left. */
    void awaits(MessageSender<?> sender);

    /** Called when the sender has ended: it will not call again. */
    void leave(MessageSender<?> sender);
}
