// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.ffm.fabric.FiError;
import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.loop.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose completion is whose in a queue that endpoints share. The queue is real, and nothing ever arrives in it. */
@Timeout(60)
class SharedCompletionsTest {
    private static final int SLOT = 7;
    private static final int GENERATION = 300_000; // more than fits

    private FiInfo info;
    private FiFabric fabric;
    private FiDomain domain;
    private EventLoop loop;
    private DomainQueues queues;

    private static final class Told implements CompletionQueue.Owner {
        private final List<String> what = new ArrayList<>();
        private boolean starved;
        private boolean sharesReceives;

        @Override
        public void onCompletion(long context, long length) {
            assertThat(OpContext.slot(context)).isEqualTo(SLOT);
            assertThat(OpContext.isOf(context, GENERATION)).isTrue();
            what.add(OpContext.isSend(context) ? "sent" : "received " + length);
        }

        @Override
        public void onError(FiError error) {
            what.add("error");
        }

        @Override
        public void onQueueFailed(int code) {
            what.add("failed " + code);
        }

        @Override
        public void onBatchEnd() {
            what.add("end");
        }

        @Override
        public boolean starved() {
            return starved;
        }

        @Override
        public boolean sending() {
            return false;
        }

        @Override
        public boolean sharesReceives() {
            return sharesReceives;
        }
    }

    @BeforeEach
    void open() throws Exception {
        LibFabric library = LibFabric.load();
        info = new AddressSelection(library, "tcp").local(new InetSocketAddress("127.0.0.1", 0));
        fabric = library.openFabric(info);
        domain = fabric.openDomain(info);
        loop = EventLoop.create("shared"); // which does not run: this thread has it
        queues = new DomainQueues(new CompletionQueues(loop, fabric), domain, "tcp");
    }

    @AfterEach
    void close() {
        domain.close(); // fails if a queue is open
        loop.close();
        fabric.close();
        info.close();
    }

    private static long received(QueuePlace place) {
        return place.owner() | OpContext.receive(SLOT, GENERATION);
    }

    @Test
    void shouldTellEachOwnerOfWhatIsItsAndOfTheEndOfTheBatchOnce() {
        Told first = new Told();
        Told second = new Told();
        Told none = new Told();
        QueuePlace one = queues.place(8, first);
        QueuePlace two = queues.place(8, second);
        QueuePlace three = queues.place(8, none);
        assertThat(two.queue()).isSameAs(one.queue()).isSameAs(three.queue());
        List.of(one, two, three).forEach(QueuePlace::admit);
        SharedCompletions shared = two.sharing();
        shared.onCompletion(received(one), 1);
        shared.onCompletion(received(two), 2);
        shared.onCompletion(one.owner() | OpContext.send(SLOT, GENERATION), 0);
        shared.onBatchEnd();
        shared.onBatchEnd();
        shared.onCompletion(two.owner() | OpContext.gather(SLOT, GENERATION), 0);
        shared.onBatchEnd();
        assertThat(first.what).containsExactly("received 1", "sent", "end");
        assertThat(second.what).containsExactly("received 2", "end", "sent", "end");
        assertThat(none.what).isEmpty();
        shared.onQueueFailed(5);
        assertThat(List.of(first.what.getLast(), second.what.getLast(), none.what.getLast())).containsOnly("failed 5");
        List.of(one, two, three).forEach(QueuePlace::leave);
    }

    @Test
    void shouldIgnoreWhatIsOfAnEndpointThatHasLeft() {
        Told stays = new Told();
        QueuePlace kept = queues.place(8, stays);
        QueuePlace left = queues.place(8, new Told());
        left.leave();
        left.leave();
        Told next = new Told();
        QueuePlace taken = queues.place(8, next);
        List.of(kept, taken).forEach(QueuePlace::admit);
        SharedCompletions shared = kept.sharing();
        shared.onCompletion(received(left), 1);
        shared.onBatchEnd();
        shared.onCompletion(received(taken), 2);
        shared.onBatchEnd();
        assertThat(stays.what).isEmpty();
        assertThat(next.what).containsExactly("received 2", "end");
        kept.leave();
        taken.leave();
    }

    @Test
    void shouldKeepWhatIsReadBeforeTheOwnerIsConnected() {
        Told late = new Told();
        Told connected = new Told();
        QueuePlace connects = queues.place(8, late);
        QueuePlace other = queues.place(8, connected);
        other.admit();
        SharedCompletions shared = other.sharing();
        shared.onCompletion(received(connects), 1);
        shared.onCompletion(received(other), 2);
        shared.onCompletion(received(connects), 3);
        shared.onBatchEnd();
        assertThat(shared.deliverEarly()).isZero();
        assertThat(late.what).isEmpty();
        connects.admit();
        shared.onCompletion(received(connects), 4); // not before the others
        assertThat(shared.deliverEarly()).isEqualTo(3);
        assertThat(shared.deliverEarly()).isZero();
        shared.onCompletion(received(connects), 5);
        shared.onBatchEnd();
        assertThat(late.what).containsExactly("received 1", "received 3", "received 4", "end", "received 5", "end");
        assertThat(connected.what).containsExactly("received 2", "end");
        List.of(connects, other).forEach(QueuePlace::leave);
    }

    @Test
    void shouldBePartlyStarvedWhileSomeOwnersAre() {
        List<Told> owners = List.of(new Told(), new Told());
        List<QueuePlace> places = owners.stream().map(owner -> queues.place(8, owner)).toList();
        SharedCompletions shared = places.getFirst().sharing();
        assertThat(shared.starved() || shared.isPartlyStarved()).isFalse();
        owners.getFirst().starved = true;
        assertThat(shared.isPartlyStarved()).isTrue();
        assertThat(shared.starved()).isFalse();
        owners.getLast().starved = true;
        assertThat(shared.isPartlyStarved()).isFalse();
        assertThat(shared.starved()).isTrue();
        places.forEach(QueuePlace::leave);
    }

    @Test
    void shouldMakeGroupsAndReuseWhatHasBecomeFree() {
        List<QueuePlace> places = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            places.add(queues.place(8, new Told()));
        }
        assertThat(places.stream().map(QueuePlace::queue).distinct()).hasSize(3);
        places.remove(3).leave();
        places.add(queues.place(8, new Told()));
        assertThat(places.getLast().queue()).isSameAs(places.getFirst().queue());
        places.forEach(QueuePlace::leave);
    }

    @Test
    void shouldGiveAQueueOfItsOwnToWhoSharesReceivesAndToOthersThanTcp() {
        Told sharing = new Told();
        sharing.sharesReceives = true;
        DomainQueues verbs = new DomainQueues(new CompletionQueues(loop, fabric), domain, "verbs");
        List<QueuePlace> places = List.of(queues.place(8, sharing), queues.place(8, sharing), queues.place(8, new Told()),
                verbs.place(8, new Told()), verbs.place(8, new Told()));
        assertThat(places.stream().map(QueuePlace::queue).distinct()).hasSize(5);
        places.forEach(QueuePlace::leave);
    }

    @Test
    void shouldShareOnlyWhereTheKernelReportsNewEventsOnly() {
        assertThat(List.of("5.10.0-33-amd64", "5.14.0", "6.1.0-37-amd64", "10.0")).allMatch(DomainQueues::hasNestedEdges);
        assertThat(List.of("4.18.0-553.el8_10.x86_64", "5.9.16", "5.4.0-1", "6", "", "?"))
                .noneMatch(DomainQueues::hasNestedEdges);
    }
}
