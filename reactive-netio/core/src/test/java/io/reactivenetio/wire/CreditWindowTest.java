// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The credit rules of docs/wire-format.md under random schedules: nothing is overrun, nobody waits for ever, silence comes. */
class CreditWindowTest {
    private static final int SEEDS = 3_000;

    /** A page under way. */
    private record Page(boolean data, int frames, int dataCredits, int controlCredits) { }

    /** One side: its window, what waits to be sent, what is under way from it, and the data pages that are in use. */
    private static final class Side {
        private final CreditWindow credits;
        private final int buffers;
        private final ArrayDeque<Page> wire = new ArrayDeque<>();
        private int waitingData;
        private int waitingControl;
        private int held;
        private int framesGot;
        private int dataGot;
        private int empty;

        Side(int ownData, int ownControl, int peerData, int peerControl) {
            credits = new CreditWindow(ownData, ownControl, peerData, peerControl);
            buffers = ownData + ownControl;
        }

        /** Sends one page if the rules allow one and there is a reason. */
        boolean send() {
            if (waitingData > 0 && credits.maySendData()) {
                send(true, waitingControl);
                waitingData--;
            } else if (waitingControl > 0 && credits.maySendControl()) {
                send(false, waitingControl);
            } else if (waitingControl == 0 && credits.shouldReturn()) {
                send(false, 0);
                empty++;
            } else {
                return false;
            }
            return true;
        }

        private void send(boolean data, int frames) {
            wire.add(new Page(data, frames, credits.owedData(), credits.owedControl()));
            waitingControl -= frames;
            credits.sent(data);
        }

        /** Takes the next page from the other side. A buffer must be free for it: posted and not filled already. */
        void receive(Side from) throws ProtocolException {
            Page page = from.wire.remove();
            assertThat(held + from.wire.size() + 1).isLessThanOrEqualTo(buffers);
            credits.received(page.data, page.dataCredits, page.controlCredits);
            framesGot += page.frames;
            if (page.data) {
                held++;
                dataGot++;
            } else {
                credits.posted(false);
            }
        }

        void release() {
            held--;
            credits.posted(true);
        }
    }

    private static void randomly(Side a, Side b, Random random, boolean releases) throws ProtocolException {
        Side self = random.nextBoolean() ? a : b;
        Side other = self == a ? b : a;
        switch (random.nextInt(releases ? 5 : 4)) {
            case 0 -> self.waitingData += random.nextInt(3);
            case 1 -> self.waitingControl += random.nextInt(2);
            case 2 -> self.send();
            case 3 -> {
                if (!other.wire.isEmpty()) {
                    self.receive(other);
                }
            }
            default -> {
                if (self.held > 0) {
                    self.release();
                }
            }
        }
    }

    /** Until nothing can happen any more; how many pages that took. Bounded, so that endless talk fails. */
    private static int settle(Side a, Side b, Random random, boolean release) throws ProtocolException {
        int most = 20 * (a.waitingData + b.waitingData + a.waitingControl + b.waitingControl + a.buffers + b.buffers + 10);
        int pages = 0;
        boolean busy = true;
        while (busy) {
            Side self = random.nextBoolean() ? a : b;
            busy = step(self, self == a ? b : a, release) | step(self == a ? b : a, self, release);
            assertThat(++pages).as("the sides do not fall silent").isLessThan(most);
        }
        return pages;
    }

    private static boolean step(Side self, Side other, boolean release) throws ProtocolException {
        boolean did = self.send();
        if (!other.wire.isEmpty()) {
            self.receive(other);
            did = true;
        }
        if (release && self.held > 0) {
            self.release();
            did = true;
        }
        return did;
    }

    @ParameterizedTest
    @CsvSource({"1, 3, 1, 3", "1, 3, 2, 3", "1, 4, 1, 3", "2, 3, 5, 4", "28, 4, 28, 4", "28, 4, 1, 3"})
    void shouldNeverDeadLockNorOverrunNorTalkForEver(int dataA, int controlA, int dataB, int controlB) throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Side a = new Side(dataA, controlA, dataB, controlB);
            Side b = new Side(dataB, controlB, dataA, controlA);
            int steps = random.nextInt(300);
            boolean releases = random.nextBoolean();
            for (int i = 0; i < steps; i++) {
                randomly(a, b, random, releases);
            }
            // Every data page that arrives stays in use: control must get through nevertheless, at once and later.
            settle(a, b, random, false);
            for (Side side : new Side[] {a, b, a}) {
                assertThat(a.waitingControl + b.waitingControl).as("control waits, seed %d: %s, %s", seed, a.credits, b.credits)
                        .isZero();
                side.waitingControl++;
                settle(a, b, random, false);
            }
            // Data waits only where all buffers for it are in use.
            assertThat(a.waitingData == 0 || b.held == dataB).as("data waits, seed %d: %s", seed, a.credits).isTrue();
            assertThat(b.waitingData == 0 || a.held == dataA).as("data waits, seed %d: %s", seed, b.credits).isTrue();
            settle(a, b, random, true);
            assertThat(a.waitingData + b.waitingData + a.waitingControl + b.waitingControl).as("seed %d", seed).isZero();
            assertThat(a.held + b.held + a.wire.size() + b.wire.size()).as("seed %d", seed).isZero();
        }
    }

    /** Both send all the control they may before anything arrives: the case that a single reserve does not survive. */
    @Test
    void shouldSurviveThatBothSidesSpendAllTheyHaveAtOnce() throws Exception {
        Side a = new Side(1, 3, 1, 3);
        Side b = new Side(1, 3, 1, 3);
        for (Side side : new Side[] {a, b}) {
            side.waitingData = 10;
            assertThat(side.send()).isTrue();
            for (int i = 0; i < 5; i++) {
                side.waitingControl = 1;
                side.send();
            }
            assertThat(side.wire).hasSize(3);
        }
        settle(a, b, new Random(1), false);
        assertThat(a.waitingControl + b.waitingControl).isZero();
        assertThat(a.held + b.held).isEqualTo(2);
    }

    @Test
    void shouldReturnCreditsSeldomWhenPagesAreMany() throws Exception {
        Side a = new Side(28, 4, 28, 4);
        Side b = new Side(28, 4, 28, 4);
        a.waitingData = 10_000;
        settle(a, b, new Random(1), true);
        assertThat(b.dataGot).isEqualTo(10_000);
        assertThat(b.empty).isLessThan(10_000 / 10);
        assertThat(a.empty).isLessThan(b.empty);
    }

    @Test
    void shouldNotAnswerALonePageOfCredits() throws Exception {
        CreditWindow credits = new CreditWindow(4, 3, 4, 3);
        credits.sent(true);
        credits.received(false, 1, 0);
        credits.posted(false);
        assertThat(credits.shouldReturn()).isFalse();
        credits.received(false, 0, 0);
        credits.posted(false);
        assertThat(credits.shouldReturn()).isTrue();
        assertThat(credits.owedControl()).isEqualTo(2);
        credits.sent(false);
        assertThat(credits.owedControl()).isZero();
    }

    @Test
    void shouldRefusePagesAndReturnsBeyondTheCredits() throws Exception {
        CreditWindow credits = new CreditWindow(1, 3, 2, 3);
        assertThatThrownBy(() -> credits.received(true, 1, 0)).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("returned 1 data and 0 control credits, more than were out");
        assertThatThrownBy(() -> credits.received(true, 0, 1)).isInstanceOf(ProtocolException.class);
        credits.received(true, 0, 0);
        assertThatThrownBy(() -> credits.received(true, 0, 0)).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("sent a page with data although it had no credit for it");
        credits.posted(true);
        assertThatThrownBy(() -> credits.received(true, 0, 0)).isInstanceOf(ProtocolException.class);
        for (int i = 0; i < 3; i++) {
            credits.received(false, 0, 0);
        }
        assertThatThrownBy(() -> credits.received(false, 0, 0)).isInstanceOf(ProtocolException.class)
                .hasMessageContaining("sent a page without data although it had no credit for it");
    }

    @Test
    void shouldRefuseWrongUse() {
        CreditWindow credits = new CreditWindow(1, 3, 1, 3);
        assertThatThrownBy(() -> credits.posted(true)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> credits.posted(false)).isInstanceOf(IllegalStateException.class);
        credits.sent(true);
        assertThatThrownBy(() -> credits.sent(true)).isInstanceOf(IllegalStateException.class);
        credits.sent(false);
        credits.sent(false);
        assertThatThrownBy(() -> credits.sent(false)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new CreditWindow(1, 2, 1, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CreditWindow(0, 3, 1, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CreditWindow(1, 3, 65_536, 3)).isInstanceOf(IllegalArgumentException.class);
    }
}
