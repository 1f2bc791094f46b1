// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class DiscardedLeasesTest {
    /** Of a discarded list only its elements can be seen to be looked at. */
    private static final class Watched extends ArrayList<Object> {
        private static final long serialVersionUID = 1;

        private transient int looks;

        @Override
        public void forEach(Consumer<? super Object> action) {
            looks++;
            super.forEach(action);
        }
    }

    /** What is known of the class of one element must not be taken for that of another. */
    @Test
    void shouldLookIntoElementsOfAnyClassBehindOthers() {
        Watched first = new Watched();
        Watched second = new Watched();

        DiscardedLeases.closed(Flux.<Object>just("text", "text", first, 5, "text", second, second).then().flux()).blockLast();

        assertThat(List.of(first.looks, second.looks)).containsExactly(1, 2);
    }

    /** Operators wrap what they pass on in various classes, of which {@code timed()} has one of its own. */
    @Test
    void shouldLookIntoWhatOperatorsHaveWrapped() {
        Watched list = new Watched();
        Flux<Object> lists = Flux.just(list);

        DiscardedLeases.closed(lists.timed().then().flux()).blockLast();
        DiscardedLeases.closed(lists.elapsed().then().flux()).blockLast();
        DiscardedLeases.closed(lists.materialize().then().flux()).blockLast();

        assertThat(list.looks).isEqualTo(3);
    }

    /** A hook that a subscriber brings is called as well. */
    @Test
    void shouldCallTheSubscribersHookToo() {
        List<Object> seen = new ArrayList<>();
        Watched list = new Watched();

        DiscardedLeases.closed(Flux.<Object>just("a", list).then().flux()).doOnDiscard(Object.class, seen::add).blockLast();

        assertThat(seen).containsExactly("a", list);
        assertThat(list.looks).isEqualTo(1);
    }
}
