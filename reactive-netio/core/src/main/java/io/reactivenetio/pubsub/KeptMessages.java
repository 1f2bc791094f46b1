// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;
import io.reactivenetio.framing.stream.SharedMessage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Messages that a source was asked for and that nobody has got, in the order of their numbers. They are for the next subscription
 * that wants their tags. There are few more than a queue has room for: those that were asked for a subscription that has left,
 * and the one that it was about to send. Guarded by its source.
 */
final class KeptMessages {
    private static final Comparator<SharedMessage> BY_NUMBER = Comparator.comparingLong(SharedMessage::number);

    private final int most;
    private final List<SharedMessage> messages = new ArrayList<>(0);

    /** Creates room for what a queue of {@code capacity} leaves behind. */
    KeptMessages(int capacity) {
        most = capacity + 1;
    }

    /** Keeps a message. Returns how many were given up for it, the oldest ones. */
    int add(SharedMessage message) {
        boolean ordered = messages.isEmpty() || messages.getLast().number() < message.number();
        messages.add(message);
        if (!ordered) { // another subscription has left some before
            messages.sort(BY_NUMBER);
        }
        if (messages.size() <= most) {
            return 0;
        }
        messages.removeFirst();
        return 1;
    }

    /**
     * Finds an owner for each message that a subscription leaves without having sent it. Messages that others have stay theirs.
     * The rest is kept, unless others go on with later messages of the same tag, behind which it cannot come. Returns how many
     * have no owner.
     */
    long leftBehind(Place gone, List<Place> others, boolean keeps) {
        List<SharedMessage> rest = gone.queue().rest();
        rest.removeIf(gone::hadBefore);
        return leftBehind(rest, others, keeps);
    }

    /** The same for some messages. */
    long leftBehind(List<SharedMessage> rest, List<Place> others, boolean keeps) {
        long lost = 0;
        for (SharedMessage message : rest) {
            if (!message.isSent() && others.stream().noneMatch(other -> other.has(message))) {
                boolean late = others.stream().anyMatch(other -> other.queue().wants(message.tag()));
                lost += keeps && !late ? add(message) : 1;
            }
        }
        return lost;
    }

    /** Takes those with a tag of {@code wanted}. */
    List<SharedMessage> take(Tags wanted) {
        if (messages.isEmpty()) {
            return List.of();
        }
        List<SharedMessage> taken = new ArrayList<>();
        for (Iterator<SharedMessage> each = messages.iterator(); each.hasNext();) {
            SharedMessage message = each.next();
            if (wanted.contains(message.tag())) {
                taken.add(message);
                each.remove();
            }
        }
        return taken;
    }

    /**
     * What a subscription to {@code wanted} begins with: what was kept, and of other tags the last message, if it is retained.
     */
    List<SharedMessage> begin(Tags wanted, List<SharedMessage> retained) {
        List<SharedMessage> begin = take(wanted);
        if (!retained.isEmpty()) {
            Set<Long> tags = new HashSet<>();
            begin.forEach(message -> tags.add(message.tag()));
            begin = new ArrayList<>(begin);
            for (SharedMessage message : retained) {
                if (!tags.contains(message.tag())) { // else the last one is among those that were kept
                    begin.add(message);
                }
            }
            begin.sort(BY_NUMBER);
        }
        return begin;
    }

    int size() {
        return messages.size();
    }

    /** Gives all up. Returns how many these were. */
    int clear() {
        int all = messages.size();
        messages.clear();
        return all;
    }
}
