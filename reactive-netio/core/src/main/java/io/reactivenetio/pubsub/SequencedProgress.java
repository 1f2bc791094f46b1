// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import java.lang.ref.WeakReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;

/** How far one subscription of a sequenced Flux has come, so that the same subscriber can go on from there. */
final class SequencedProgress {
    private final SequenceTracker tracker;
    private final GapDetector detector;
    /** At the end of the operators: {@code repeat()} brings the same one again. */
    private final WeakReference<Object> subscriber;
    /** The last event itself: a Position of each would be an allocation for each message. */
    private volatile @Nullable SequencedEvent told;
    private volatile boolean over;
    private volatile boolean cancelled;

    private SequencedProgress(Object subscriber, SequenceTracker tracker, GapDetector detector) {
        this.subscriber = new WeakReference<>(subscriber);
        this.tracker = tracker;
        this.detector = detector;
    }

    /** Returns the progress of {@code actual}, which goes on behind {@code former} if that is over and was its own. */
    static SequencedProgress of(CoreSubscriber<?> actual, @Nullable SequencedProgress former,
            Supplier<SequenceTracker> trackers, Supplier<GapDetector> detectors) {
        Object last = Scannable.from(actual).actuals().<Object>map(one -> one).reduce((one, next) -> next).orElse(actual);
        if (former == null || !former.over || former.subscriber.get() != last) {
            return new SequencedProgress(last, trackers.get(), detectors.get());
        }
        SequencedEvent lastTold = former.told;
        Position at = lastTold == null ? former.tracker.start() : after(lastTold);
        SequenceTracker next = at == null ? trackers.get() : former.tracker.behind(at);
        GapDetector detector = former.detector;
        if (former.cancelled) { // the loop may still use it
            detector = detectors.get();
            if (at != null) {
                detector.begin(at);
            }
        }
        return new SequencedProgress(last, next, detector);
    }

    SequenceTracker tracker() {
        return tracker;
    }

    GapDetector detector() {
        return detector;
    }

    /** The subscriber is told {@code event} now. */
    void tell(SequencedEvent event) {
        told = event;
    }

    private static Position after(SequencedEvent event) {
        return switch (event) {
            case SequencedMessage message -> message.position();
            case Gap gap -> new Position(gap.run(), gap.to());
            case RunChange change -> new Position(change.run(), -1);
        };
    }

    /** The subscriber is told nothing more. */
    void over(boolean byCancel) {
        cancelled |= byCancel && !over;
        over = true;
    }
}
