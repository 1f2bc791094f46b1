// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.send.page.DeliveryListener;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeliveryListenersTest {
    private static final int MANY = 10_000;

    private final DeliveryListeners listeners = new DeliveryListeners();

    private static final class Listener implements DeliveryListener {
        private boolean cancelled;

        @Override
        public void delivered() {
            // only asked for
        }

        @Override
        public boolean isAwaited() {
            return !cancelled;
        }
    }

    @Test
    void shouldGiveBackInOrderThoseWhosePingIsAnswered() {
        List<Listener> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(new Listener());
            listeners.add(all.get(i), i / 3);
        }
        for (int i = 0; i < 60; i++) {
            assertThat(listeners.poll(19)).isSameAs(all.get(i));
        }
        assertThat(listeners.poll(19)).isNull();
        assertThat(listeners.size()).isEqualTo(40);
        for (int i = 60; i < 100; i++) {
            assertThat(listeners.poll(Long.MAX_VALUE)).isSameAs(all.get(i));
        }
        assertThat(listeners.poll(Long.MAX_VALUE)).isNull();
    }

    @Test
    void shouldNotGrowWithThoseThatNobodyWaitsFor() {
        Listener first = new Listener();
        listeners.add(first, 0);
        for (int i = 1; i < MANY; i++) {
            Listener listener = new Listener();
            listeners.add(listener, i);
            listener.cancelled = true;
        }
        assertThat(listeners.size()).isLessThan(100);
        assertThat(listeners.poll(MANY)).isSameAs(first);
    }

    @Test
    void shouldKeepAllThatSomebodyWaitsFor() {
        List<Listener> awaited = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Listener listener = new Listener();
            listener.cancelled = i % 4 != 0;
            if (i % 4 == 0) {
                awaited.add(listener);
            }
            listeners.add(listener, i);
        }
        assertThat(listeners.size()).isBetween(awaited.size(), 2 * awaited.size() + 100);
        List<DeliveryListener> told = new ArrayList<>();
        DeliveryListener next;
        while ((next = listeners.poll(MANY)) != null) {
            if (next.isAwaited()) {
                told.add(next);
            }
        }
        assertThat(told).containsExactlyElementsOf(awaited);
    }
}
