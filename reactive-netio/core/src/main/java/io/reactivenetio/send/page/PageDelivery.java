// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

/**
 * Tracks the messages of one send by the pages that they end in. No more pages are under way than there are send buffers. It
 * belongs to one sender; the progress is all senders'. On the loop.
 *
 * @param untilDelivered whether the progress is that of acknowledged pages, and not of pages that have left
 */
public record PageDelivery(PageProgress progress, boolean untilDelivered, MessagesInPages messages) implements DeliveryTracker {

    public PageDelivery(PageProgress progress, boolean untilDelivered) {
        this(progress, untilDelivered, new MessagesInPages());
    }

    @Override
    public void written(int n, long bytes) {
        messages.add(progress.next(), progress.completed(), n);
    }

    @Override
    public long done() {
        return messages.left(progress.completed());
    }

    @Override
    public boolean isDone() {
        return messages.last() <= progress.completed();
    }

    @Override
    public void await(DeliveryListener listener) {
        progress.await(messages.last(), listener);
    }
}
