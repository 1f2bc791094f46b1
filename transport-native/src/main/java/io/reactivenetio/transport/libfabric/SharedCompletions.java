// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.FiError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue that several endpoints of a loop use. Hands each completion to the endpoint whose place its context names.
 * Confined to the loop.
 */
final class SharedCompletions implements CompletionQueue.Owner {
    private static final int INDEX_BITS = 14;
    /** The most endpoints of a queue. */
    static final int MOST = 1 << INDEX_BITS;
    private static final int GENERATIONS = 1 << 6;
    /**
     * A batch that is not full empties the queue. The next read moves data of its endpoints, though not always of all. After so
     * many of these in a row without anything for an endpoint, nothing waits for it. With 4 that was not always so where the
     * other endpoints were busy: the last messages of a connection were lost.
     */
    private static final int READS_WITHOUT = 256;
    private static final int MOST_READS = 1024;

    private final DomainQueues users;
    private @Nullable CompletionQueue queue;
    private @Nullable QueuePlace[] places = new @Nullable QueuePlace[16];
    private int[] generations = new int[16];
    /** The indexes in use. */
    private final BitSet taken = new BitSet();
    private int count;
    private @Nullable QueuePlace[] touched = new @Nullable QueuePlace[16];
    private int touchedCount;
    /** The places for which something was read too early. */
    private final List<QueuePlace> early = new ArrayList<>(4);

    SharedCompletions(DomainQueues users) {
        this.users = users;
    }

    void opened(CompletionQueue created) {
        queue = created;
    }

    private CompletionQueue queue() {
        CompletionQueue created = queue;
        if (created == null) {
            throw new IllegalStateException("no queue yet");
        }
        return created;
    }

    int count() {
        return count;
    }

    QueuePlace join(CompletionQueue.Owner owner) {
        int index = taken.nextClearBit(0);
        if (index == places.length) {
            places = Arrays.copyOf(places, 2 * index);
            generations = Arrays.copyOf(generations, 2 * index);
        }
        taken.set(index);
        QueuePlace place = new QueuePlace(queue(), this, owner, generations[index] << INDEX_BITS | index);
        places[index] = place;
        count++;
        return place;
    }

    void leave(QueuePlace place) {
        int index = place.number() & MOST - 1;
        if (places[index] != place) {
            return;
        }
        places[index] = null;
        early.remove(place);
        taken.clear(index);
        generations[index] = (generations[index] + 1) % GENERATIONS;
        if (--count == 0) {
            users.unused(this);
            queue().close();
        }
    }

    /** Reads until nothing is left that had arrived for {@code place}. The others get what is theirs meanwhile. */
    void drain(QueuePlace place) {
        CompletionQueue own = queue();
        int without = 0;
        for (int i = 0; i < MOST_READS && without < READS_WITHOUT; i++) {
            int before = place.batches;
            int entries = own.read();
            if (entries == 0) {
                return;
            }
            own.idle = false;
            if (place.batches != before) {
                without = 0;
            } else if (entries < CompletionQueue.BATCH) {
                without++;
            }
        }
    }

    private @Nullable QueuePlace find(long context) {
        int number = OpContext.place(context);
        int index = number & MOST - 1;
        QueuePlace place = index < places.length ? places[index] : null;
        return place != null && place.number() == number ? place : null;
    }

    private void touch(QueuePlace place) {
        place.touched = true;
        place.batches++;
        if (touchedCount == touched.length) {
            touched = Arrays.copyOf(touched, 2 * touchedCount);
        }
        touched[touchedCount++] = place;
    }

    @Override
    public void onCompletion(long context, long length) {
        QueuePlace place = find(context);
        if (place == null) {
            return;
        }
        if (isTooEarly(place)) {
            place.early.add(() -> place.owner.onCompletion(context, length));
            return;
        }
        if (!place.touched) {
            touch(place);
        }
        place.owner.onCompletion(context, length);
    }

    private boolean isTooEarly(QueuePlace place) {
        if (place.isReady() && place.early.isEmpty()) {
            return false;
        }
        if (place.early.isEmpty()) {
            early.add(place);
        }
        return true;
    }

    @Override
    public int deliverEarly() {
        for (int i = 0; i < early.size(); i++) {
            QueuePlace place = early.get(i);
            if (place.isReady()) {
                early.remove(i);
                List<Runnable> waiting = List.copyOf(place.early);
                place.early.clear();
                touch(place);
                waiting.forEach(Runnable::run);
                onBatchEnd();
                return waiting.size();
            }
        }
        return 0;
    }

    @Override
    public void onError(FiError error) {
        QueuePlace place = find(error.context());
        if (place == null) {
            return;
        }
        if (isTooEarly(place)) {
            FiError kept = error.copy();
            place.early.add(() -> place.owner.onError(kept));
            return;
        }
        if (!place.touched) {
            touch(place);
        }
        place.owner.onError(error);
    }

    @Override
    public void onBatchEnd() {
        int ended = touchedCount;
        touchedCount = 0;
        for (int i = 0; i < ended; i++) {
            QueuePlace place = touched[i];
            touched[i] = null;
            if (place != null) {
                place.touched = false;
                place.owner.onBatchEnd();
            }
        }
    }

    @Override
    public void onQueueFailed(int code) {
        List<QueuePlace> all = new ArrayList<>(count);
        for (QueuePlace place : places) {
            if (place != null) {
                all.add(place);
            }
        }
        all.forEach(place -> place.owner.onQueueFailed(code));
    }

    @Override
    public boolean starved() {
        return !isAny(owner -> !owner.starved());
    }

    @Override
    public boolean isPartlyStarved() {
        return isAny(CompletionQueue.Owner::starved) && !starved();
    }

    @Override
    public boolean sending() {
        return isAny(CompletionQueue.Owner::sending);
    }

    private boolean isAny(Predicate<CompletionQueue.Owner> condition) {
        for (QueuePlace place : places) {
            if (place != null && condition.test(place.owner)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean sharesReceives() {
        return false;
    }
}
