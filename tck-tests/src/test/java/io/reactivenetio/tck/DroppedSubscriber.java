// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.testing.Eventually;
import java.lang.ref.WeakReference;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.TestEnvironment.ManualSubscriber;

/**
 * §3.13: a publisher whose subscriber has cancelled lets go of it. The TCK's own test gives the JVM 100 ms after a collection to
 * put the reference into its queue, which the thread that does so does not keep on a busy machine; this one looks at the
 * reference itself, which the collection clears.
 */
final class DroppedSubscriber {
    private DroppedSubscriber() {
    }

    static <T> void verify(Publisher<T> publisher) throws InterruptedException {
        TestEnvironment environment = Loopback.environment();
        WeakReference<ManualSubscriber<T>> subscriber = cancelled(publisher, environment);
        Eventually.await(() -> { // the cancel may be on its way to the loop
            System.gc();
            return subscriber.refersTo(null);
        }, () -> "§3.13: " + publisher + " still refers to a subscriber that has cancelled");
        environment.verifyNoAsyncErrorsNoDelay();
    }

    /** In a method of its own: no local variable refers to the subscriber afterwards. */
    private static <T> WeakReference<ManualSubscriber<T>> cancelled(Publisher<T> publisher, TestEnvironment environment)
            throws InterruptedException {
        ManualSubscriber<T> subscriber = environment.newManualSubscriber(publisher);
        subscriber.request(1);
        subscriber.nextElement();
        subscriber.cancel();
        return new WeakReference<>(subscriber);
    }
}
