// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.wire.ProtocolException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which connection is given up, however the others have come and gone. */
class ReassemblySharesTest {
    private static final int SHARES = 20;
    private static final int LIMIT = 10_000;

    private final ReassemblyBudget budget = new ReassemblyBudget(LIMIT, null);
    private final List<ReassemblyBudget.Share> shares = new ArrayList<>();
    private final List<Integer> ended = new ArrayList<>();

    private void open(int number) {
        for (int i = 0; i < number; i++) {
            int index = i;
            shares.add(budget.share(why -> ended.add(index), wait -> { }, 0));
        }
    }

    @Test
    void shouldGiveUpWhoHasMost() throws ProtocolException {
        open(SHARES);
        Random random = new Random(7);
        for (int round = 0; round < 10_000; round++) {
            ReassemblyBudget.Share share = shares.get(random.nextInt(SHARES));
            if (random.nextBoolean()) {
                share.give((int) Math.min(share.held(), random.nextInt(400)));
                continue;
            }
            int bytes = 1 + random.nextInt(400);
            long before = shares.stream().mapToLong(ReassemblyBudget.Share::held).sum();
            long most = shares.stream().mapToLong(each -> each == share ? each.held() + bytes : each.held()).max().orElse(0);
            ended.clear();
            if (before + bytes <= LIMIT) {
                share.take(bytes);
                assertThat(ended).isEmpty();
            } else if (most == share.held() + bytes) {
                assertThatThrownBy(() -> share.take(bytes)).isInstanceOf(ProtocolException.class);
                assertThat(ended).containsExactly(shares.indexOf(share));
                assertThat(share.held()).isZero();
            } else {
                share.take(bytes);
                assertThat(ended).isNotEmpty();
                assertThat(shares.get(ended.getFirst()).held()).isZero();
                assertThat(shares.stream().mapToLong(ReassemblyBudget.Share::held).sum()).isGreaterThanOrEqualTo(before + bytes
                        - most).isLessThanOrEqualTo(LIMIT);
            }
        }
    }

    /** Whoever has waited longest goes on next, and somebody always does. */
    @Test
    void shouldLetThemWaitInTurn() {
        List<String> said = new ArrayList<>();
        List<ReassemblyBudget.Share> turns = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int index = i;
            turns.add(budget.share(why -> ended.add(index), wait -> said.add(index + (wait ? " waits" : " goes on")), 100));
        }
        turns.get(0).begun(7_000);
        turns.get(1).begun(7_000);
        turns.get(2).begun(2_000);
        turns.get(3).begun(200);
        assertThat(said).containsExactly("1 waits", "2 waits");
        assertThat(turns.get(1).isWaiting()).isTrue();
        turns.get(0).begun(500); // which has begun another one already
        turns.get(0).ended(7_000);
        assertThat(said).as("%s", said).hasSize(2);
        turns.get(3).ended(200);
        turns.get(0).ended(500);
        assertThat(said).containsExactly("1 waits", "2 waits", "1 goes on");
        turns.get(2).ended(2_000); // given up while it waits
        assertThat(said).endsWith("2 goes on");
        turns.get(2).begun(90_000);
        turns.get(1).ended(7_000);
        assertThat(said).endsWith("2 waits", "2 goes on");
        assertThat(turns).noneMatch(ReassemblyBudget.Share::isWaiting);
    }

    /** All that wait may have their turns for as long as it takes. A peer that sends nothing holds nobody up for long. */
    @Test
    void shouldGiveUpTheTurnsOnlyWhenNobodyGetsOne() {
        AtomicLong clock = new AtomicLong();
        SimulatedLoop driven = new SimulatedLoop(EventLoopConfig.defaults(), clock::get);
        ReassemblyBudget timed = new ReassemblyBudget(LIMIT, driven.loop());
        Deque<ReassemblyBudget.Share> waiting = new ArrayDeque<>();
        driven.loop().execute(() -> {
            for (int i = 0; i < 8; i++) {
                waiting.add(timed.share(why -> { }, wait -> { }, 100));
            }
            waiting.forEach(share -> share.begun(7_000));
        });
        driven.turn();
        for (int second = 0; second < 60; second++) {
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
            driven.loop().execute(() -> {
                ReassemblyBudget.Share goesOn = waiting.remove();
                assertThat(goesOn.isWaiting()).isFalse();
                goesOn.ended(7_000);
                goesOn.begun(7_000);
                waiting.add(goesOn);
            });
            driven.turn();
            assertThat(waiting.stream().filter(share -> !share.isWaiting())).as("after %s s", second).hasSize(1);
        }
        for (int second = 0; second < 11; second++) {
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
            driven.turn();
        }
        assertThat(waiting).as("one has not sent what it announced").noneMatch(ReassemblyBudget.Share::isWaiting);
        driven.loop().terminate();
        driven.turn();
    }
}
